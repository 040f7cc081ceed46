// Idempotency keys: how long they are remembered, what uses them up, and those of reloads.

import { createDataLayer } from '@edict/core';
import { describe, expect, it } from 'vitest';
import { envelope, refreshItem, refreshList } from '../directives.ts';
import { createCachedStage, createStage } from '../world.ts';
import { apply, own, reasons } from './setup.ts';

const minute = 60_000;
const keyed = (key: string): object => refreshItem('ticket', 7, { idempotency_key: key });

describe('D-DIR-11 §8 a key', () => {
  it('that was seen before makes a directive a duplicate, which is ignored', async () => {
    const stage = await createCachedStage();
    await apply(stage, keyed('k'));
    await apply(stage, keyed('k'));
    expect(stage.taken()).toEqual(['ticket 7']);
    expect(stage.of('directive:skipped')).toEqual([{ directive: keyed('k'), reason: 'duplicate' }]);
  });

  it('makes a directive in the same list a duplicate, even if it names another entry', async () => {
    const stage = await createCachedStage();
    await apply(stage, keyed('k'), keyed('k'), refreshList('tickets', { idempotency_key: 'k' }));
    expect(stage.taken()).toEqual(['ticket 7']);
    expect(reasons(stage)).toEqual(['duplicate', 'duplicate']);
  });

  it.each([
    ['idempotency_key', 'key'],
    ['key', 'idempotency_key'],
    ['key', 'key'],
  ])('is one namespace: %s and then %s', async (first, second) => {
    const stage = await createCachedStage();
    await apply(stage, { op: 'refresh', kind: 'item', name: 'ticket', id: 7, [first]: 'k' });
    await apply(stage, { op: 'refresh', kind: 'item', name: 'ticket', id: 7, [second]: 'k' });
    expect(stage.taken()).toEqual(['ticket 7']);
    expect(reasons(stage)).toEqual(['duplicate']);
  });

  it('is remembered across all paths', async () => {
    const stage = await createCachedStage();
    const { sim, dl } = stage;
    sim.route('POST /act', () => ({ directives: [keyed('k')] }));
    await Promise.all([dl.fetch('/act', { method: 'POST' }), sim.advance(100)]);
    expect(stage.taken()).toEqual(['ticket 7']);
    await apply(stage, keyed('k'));
    dl.ingestEnvelope(envelope(1, [keyed('k')]));
    void dl.applyDirectives([keyed('k')], { path: 'pull' });
    await Promise.all([dl.fetch('/act', { method: 'POST' }), sim.advance(100)]);
    expect(stage.taken()).toEqual([]);
    expect(reasons(stage)).toEqual(Array.from({ length: 4 }, () => 'duplicate'));
  });

  it('is remembered separately for each data layer', async () => {
    const stage = await createCachedStage();
    const other = await createCachedStage({ sim: stage.sim });
    await apply(stage, keyed('k'));
    await apply(other, keyed('k'));
    expect(other.taken()).toEqual(['ticket 7']);
  });

  it.each([
    [0, 5 * minute - 1, true],
    [0, 5 * minute, false],
    [0, 5 * minute + 1, false],
    [60 * minute, 5 * minute - 1, true],
    [60 * minute, 5 * minute, false],
  ])(
    'is remembered for five minutes: on a page that was open for %d ms, %d ms later: %s',
    async (openMs, ms, isKnown) => {
      const stage = createStage();
      const { sim, dl } = stage;
      await sim.advance(openMs);
      await stage.hold(() => stage.item('ticket', 7));
      void dl.applyDirectives([keyed('k')]);
      await sim.advance(ms);
      expect(dl.devtools().seenKeys).toEqual(isKnown ? ['k'] : []);
      stage.taken();
      await apply(stage, keyed('k'));
      expect(reasons(stage)).toEqual(isKnown ? ['duplicate'] : []);
      expect(stage.taken()).toEqual(isKnown ? [] : ['ticket 7']);
    },
  );

  it.each([
    [999, ['duplicate']],
    [1000, []],
  ])(
    'is among the last 1000 that are remembered: after %d others, a directive is skipped as %j',
    (others, skipped) => {
      const stage = createStage();
      void stage.dl.applyDirectives([keyed('first')]);
      void stage.dl.applyDirectives(Array.from({ length: others }, (_, index) => keyed(`other ${index}`)));
      void stage.dl.applyDirectives([keyed('first')]);
      expect(reasons(stage)).toEqual(skipped);
    },
  );

  it.each([
    ['was skipped for its source', 'own'],
    ['is for another audience', refreshItem('ticket', 7, { audience: 'team-1' })],
    ['was rejected', { op: 'refresh_item', name: 'ticket' }],
    // It needs an id because its name is that of a registered type.
    ['was rejected because of its registered name (D-DIR-2)', { op: 'refresh', name: 'ticket' }],
  ])('is not used up by a directive that %s', async (_title, directive) => {
    const stage = await createCachedStage();
    const first = directive === 'own' ? own(stage) : (directive as object);
    await apply(stage, { ...first, idempotency_key: 'k' });
    expect(stage.of('directive:processed')).toEqual([]);
    await apply(stage, keyed('k'));
    expect(reasons(stage)).not.toContain('duplicate');
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it('is used up by a directive for an entry that is not cached', async () => {
    const stage = createStage();
    await apply(stage, keyed('k'));
    await stage.hold(() => stage.item('ticket', 7));
    await apply(stage, keyed('k'));
    expect(stage.taken()).toEqual([]);
  });

  it('of a wrapper is used up by the response of its own mutation', async () => {
    const stage = await createCachedStage();
    const change = { op: 'invalidate', idempotency_key: 'k', targets: [own(stage)] };
    for (let times = 0; times < 2; times += 1) {
      void stage.dl.applyDirectives([change], { path: 'pull' });
      await stage.sim.advance(100);
    }
    expect(reasons(stage)).toEqual(['duplicate']);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it.each([
    ['absent', refreshItem('ticket', 7)],
    ['empty', keyed('')],
  ])('that is %s makes no directive a duplicate', async (_title, directive) => {
    const stage = await createCachedStage();
    await apply(stage, directive);
    await apply(stage, directive);
    expect(stage.taken()).toEqual(['ticket 7', 'ticket 7']);
  });
});

describe('D-FETCH-8 D-DIR-11 the promise of a duplicate', () => {
  it('waits for the refetches of the first directive', async () => {
    const { sim, dl } = await createCachedStage();
    const change = {
      op: 'invalidate',
      idempotency_key: 'k',
      targets: [refreshItem('ticket', 7), refreshList('tickets')],
    };
    void dl.applyDirectives([change]);
    let isSettled = false;
    void dl.applyDirectives([change], { path: 'pull' }).then(() => (isSettled = true));
    await sim.advance(55);
    expect([isSettled, dl.hasAnyInFlightRequests()]).toEqual([false, true]);
    await sim.advance(5);
    expect([isSettled, dl.hasAnyInFlightRequests()]).toEqual([true, false]);
  });

  it('does not wait for requests that start after it', async () => {
    const stage = await createCachedStage();
    const { sim, dl, server } = stage;
    await apply(stage, keyed('k'));
    let isSettled = false;
    void dl.applyDirectives([keyed('k'), refreshList('tickets')]).then(() => (isSettled = true));
    await sim.advance(55);
    server.latencyMs = 100;
    dl.fetchItem('ticket', 7, null, { force: true });
    await sim.advance(10);
    expect([isSettled, dl.hasAnyInFlightRequests()]).toEqual([true, true]);
  });
});

describe('D-DIR-11 §8 the key of a reload', () => {
  const reload = (key: string): object => ({ op: 'force_reload_page', idempotency_key: key });

  it('§4.5 skips a second reload, at any later time', async () => {
    const stage = createStage();
    await apply(stage, reload('r'));
    await apply(stage, reload('r'));
    await stage.sim.advance(24 * 60 * minute);
    await apply(stage, reload('r'));
    expect(stage.sim.reloads).toHaveLength(1);
    expect(reasons(stage)).toEqual(['duplicate', 'duplicate']);
  });

  it('is written to the session storage before the reload starts', async () => {
    const stored: string[][] = [];
    const stage = createStage({
      env: (sim) => ({ reloadPage: () => void stored.push([...sim.sessionStore.values()]) }),
    });
    await apply(stage, reload('very-own-key'));
    expect(stored).toHaveLength(1);
    expect(stored[0]?.join()).toContain('very-own-key');
  });

  it('survives the reload: a directive that is delivered again does not reload again, however late', async () => {
    const first = createStage();
    const { sim } = first;
    await apply(first, reload('r'));
    first.dl.dispose();
    await sim.advance(60 * minute);
    const afterwards = sim.createDataLayer({ sse: { enabled: false } });
    await afterwards.applyDirectives([reload('r')]);
    expect(sim.reloads).toHaveLength(1);
    await afterwards.applyDirectives([reload('another')]);
    expect(sim.reloads).toHaveLength(2);
  });

  it('survives the reload for a target that inherited it from a wrapper', async () => {
    const stage = createStage();
    const wrapper = { op: 'invalidate', idempotency_key: 'w', targets: [{ op: 'force_reload_page' }] };
    await apply(stage, wrapper);
    const afterwards = createDataLayer({ env: stage.sim.env });
    await afterwards.applyDirectives([wrapper]);
    expect(stage.sim.reloads).toHaveLength(1);
  });

  it('is remembered separately from other keys', async () => {
    const stage = await createCachedStage();
    await apply(stage, reload('same'));
    await apply(stage, keyed('same'));
    expect(stage.taken()).toEqual(['ticket 7']);
    void stage.dl.applyDirectives(Array.from({ length: 1500 }, (_, index) => keyed(`k${index}`)));
    await apply(stage, reload('same'));
    expect(stage.sim.reloads).toHaveLength(1);
  });

  it.each([
    [2047, ['duplicate']],
    [2048, []],
  ])(
    'is among the last 2048 that are remembered: after %d others, a directive is skipped as %j',
    async (others, skipped) => {
      const stage = createStage({ env: () => ({ reloadPage: () => undefined }) });
      const { dl } = stage;
      void dl.applyDirectives([reload('first')]);
      for (let index = 0; index < others; index += 1) void dl.applyDirectives([reload(`other ${index}`)]);
      void dl.applyDirectives([reload('first')]);
      expect(reasons(stage)).toEqual(skipped);
      await stage.sim.advance(0);
    },
  );

  it('that is absent makes no reload a duplicate', async () => {
    const stage = createStage();
    await apply(stage, { op: 'force_reload_page' });
    await apply(stage, { op: 'force_reload_page' });
    expect(stage.sim.reloads).toHaveLength(2);
  });

  const get = (text: string) => (): string => text;
  const set = (): void => undefined;
  const full = (): never => {
    throw new Error('quota');
  };
  it.each<[string, { get: () => string | null; set: () => void } | null]>([
    ['there is no storage', null],
    ['the storage is full', { get: () => null, set: full }],
    ['the storage contains invalid JSON', { get: get('{{'), set }],
    ['the storage contains an object instead of a list', { get: get('{"a":1}'), set }],
  ])(
    'allows one reload and skips further ones, also after a reset, when %s',
    async (_title, sessionStore) => {
      let reloads = 0;
      const stage = createStage({ env: () => ({ sessionStore, reloadPage: () => void (reloads += 1) }) });
      await apply(stage, reload('r'));
      await apply(stage, reload('r'));
      stage.dl.reset();
      await apply(stage, reload('r'));
      expect(reloads).toBe(1);
    },
  );

  it('is read from the storage even if it contains other values', async () => {
    let reloads = 0;
    const sessionStore = { get: get('[1,null,{},"r"]'), set };
    const stage = createStage({ env: () => ({ sessionStore, reloadPage: () => void (reloads += 1) }) });
    await apply(stage, reload('r'));
    expect(reloads).toBe(0);
    await apply(stage, reload('s'));
    expect(reloads).toBe(1);
  });
});
