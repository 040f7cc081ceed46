// D-DIR-10 and D-DIR-11: wrappers, limits of a list, null fields, and idempotency keys.

import { describe, expect, it } from 'vitest';
import { createDataLayer } from '@edict/core';
import { refreshItem, refreshList } from '../directives.ts';
import { type Stage, createCachedStage, createStage } from '../world.ts';

const minute = 60_000;

/** Applies the directives and waits until their refetches have completed. */
async function apply({ dl, sim }: Stage, ...directives: unknown[]): Promise<void> {
  void dl.applyDirectives(directives);
  await sim.advance(100);
}

const reasons = ({ of }: Stage): string[] => of('directive:skipped').map(({ reason }) => reason);

/** `depth` wrappers around one directive. */
function nested(depth: number, leaf: object): object {
  let directive = leaf;
  for (let count = 0; count < depth; count += 1) directive = { op: 'invalidate', targets: [directive] };
  return directive;
}

describe('D-DIR-10 a wrapper', () => {
  it('has the same effect as its targets without a wrapper', async () => {
    const stage = await createCachedStage();
    await apply(stage, { op: 'invalidate', targets: [refreshItem('ticket', 7), refreshList('tickets')] });
    expect(stage.taken().toSorted()).toEqual(['ticket 7', 'tickets {}']);
  });

  it('passes its source to targets without one', async () => {
    const stage = createStage();
    const { dl, hold, item, taken } = stage;
    await hold(
      () => item('ticket', 1),
      () => item('ticket', 2),
    );
    await apply(stage, {
      op: 'invalidate',
      source: dl.clientId(),
      targets: [refreshItem('ticket', 1), refreshItem('ticket', 2, { source: 'another' })],
    });
    expect(taken()).toEqual(['ticket 2']);
  });

  it('passes its audience to targets without one', async () => {
    const stage = createStage();
    const { hold, item, taken } = stage;
    await hold(
      () => item('ticket', 1),
      () => item('ticket', 2),
    );
    await apply(stage, {
      op: 'invalidate',
      audience: 'team-1',
      targets: [refreshItem('ticket', 1), refreshItem('ticket', 2, { audience: 'global' })],
    });
    expect(taken()).toEqual(['ticket 2']);
    expect(reasons(stage)).toContain('audience');
  });

  it('is skipped as a whole when its key was seen before', async () => {
    const stage = createStage();
    const { hold, item, taken, of } = stage;
    await hold(() => item('ticket', 1));
    const wrapper = { op: 'invalidate', idempotency_key: 'k', targets: [refreshItem('ticket', 1)] };
    await apply(stage, wrapper);
    await apply(stage, wrapper);
    expect(taken()).toEqual(['ticket 1']);
    expect(of('directive:skipped')).toEqual([{ directive: wrapper, reason: 'duplicate' }]);
  });

  it('does not skip targets because of its own key, whether they inherit or repeat it', async () => {
    const stage = createStage();
    const { hold, item, taken } = stage;
    await hold(...[1, 2, 3].map((id) => () => item('ticket', id)));
    await apply(stage, {
      op: 'invalidate',
      idempotency_key: 'k',
      targets: [
        refreshItem('ticket', 1),
        refreshItem('ticket', 2, { idempotency_key: 'k' }),
        refreshItem('ticket', 3, { idempotency_key: 'k' }),
      ],
    });
    expect(taken()).toEqual(['ticket 1', 'ticket 2', 'ticket 3']);
    expect(reasons(stage)).toEqual([]);
  });

  it('does not skip targets because of the key of an outer wrapper', async () => {
    const stage = createStage();
    await stage.hold(() => stage.item('ticket', 1));
    const target = refreshItem('ticket', 1, { idempotency_key: 'outer' });
    const inner = { op: 'invalidate', idempotency_key: 'inner', targets: [target] };
    await apply(stage, { op: 'invalidate', idempotency_key: 'outer', targets: [inner] });
    expect(stage.taken()).toEqual(['ticket 1']);
    expect(reasons(stage)).toEqual([]);
  });

  it('with a key applies all targets that have no key of their own', async () => {
    const stage = createStage();
    await stage.hold(
      () => stage.item('ticket', 1),
      () => stage.item('ticket', 2),
    );
    const targets = [refreshItem('ticket', 1), refreshItem('ticket', 2)];
    await apply(stage, { op: 'invalidate', idempotency_key: 'k', targets });
    expect(stage.taken()).toEqual(['ticket 1', 'ticket 2']);
    expect(reasons(stage)).toEqual([]);
  });

  it('does not skip a target with the same key inside an inner wrapper without a key', async () => {
    const stage = createStage();
    await stage.hold(() => stage.item('ticket', 1));
    const inner = { op: 'invalidate', targets: [refreshItem('ticket', 1, { idempotency_key: 'k' })] };
    await apply(stage, { op: 'invalidate', idempotency_key: 'k', targets: [inner] });
    expect(stage.taken()).toEqual(['ticket 1']);
    expect(reasons(stage)).toEqual([]);
  });

  it('around a reload emits no directive:processed event of its own', async () => {
    const stage = createStage();
    await apply(stage, { op: 'invalidate', targets: [{ op: 'force_reload_page' }] });
    expect(stage.of('directive:processed')).toMatchObject([{ kind: 'page_reload' }]);
  });

  it('uses up its key: a later directive with that key is a duplicate', async () => {
    const stage = createStage();
    const { hold, item, taken } = stage;
    await hold(() => item('ticket', 1));
    await apply(stage, { op: 'invalidate', idempotency_key: 'k', targets: [refreshItem('ticket', 1)] });
    await apply(stage, refreshItem('ticket', 1, { idempotency_key: 'k' }));
    expect(taken()).toEqual(['ticket 1']);
    expect(reasons(stage)).toEqual(['duplicate']);
  });

  it('skips only the target whose own key was seen before', async () => {
    const stage = createStage();
    const { hold, item, taken } = stage;
    await hold(
      () => item('ticket', 1),
      () => item('ticket', 2),
    );
    await apply(stage, refreshItem('ticket', 1, { idempotency_key: 'a' }));
    taken();
    await apply(stage, {
      op: 'invalidate',
      idempotency_key: 'k',
      targets: [refreshItem('ticket', 1, { idempotency_key: 'a' }), refreshItem('ticket', 2)],
    });
    expect(taken()).toEqual(['ticket 2']);
    expect(reasons(stage)).toEqual(['duplicate']);
  });

  it('without a key applies only the first of two targets with the same key', async () => {
    const stage = createStage();
    const { hold, item, taken } = stage;
    await hold(
      () => item('ticket', 1),
      () => item('ticket', 2),
    );
    await apply(stage, {
      op: 'invalidate',
      targets: [
        refreshItem('ticket', 1, { idempotency_key: 'a' }),
        refreshItem('ticket', 2, { idempotency_key: 'a' }),
      ],
    });
    expect(taken()).toEqual(['ticket 1']);
  });

  it('can contain wrappers', async () => {
    const stage = createStage();
    await stage.hold(() => stage.item('ticket', 7));
    await apply(stage, nested(3, refreshItem('ticket', 7)));
    expect(stage.taken()).toEqual(['ticket 7']);
    expect(stage.of('directive:processed')).toHaveLength(4);
  });

  it('without targets is processed and does nothing', async () => {
    const stage = createStage();
    await stage.hold(() => stage.item('ticket', 7));
    await apply(stage, { op: 'invalidate', targets: [] });
    expect(stage.taken()).toEqual([]);
    expect(stage.of('directive:processed')).toHaveLength(1);
  });
});

describe('D-DIR-11 §8 idempotency', () => {
  const keyed = (key: string, more: object = {}): object =>
    refreshItem('ticket', 7, { idempotency_key: key, ...more });

  it('ignores a second directive with the same key', async () => {
    const stage = createStage();
    await stage.hold(() => stage.item('ticket', 7));
    await apply(stage, keyed('k'));
    await apply(stage, keyed('k'));
    expect(stage.taken()).toEqual(['ticket 7']);
    expect(stage.of('directive:skipped')).toEqual([{ directive: keyed('k'), reason: 'duplicate' }]);
  });

  it.each([
    ['just within five minutes', 299_999, ['duplicate'], []],
    ['five minutes later', 300_000, [], ['ticket 7']],
  ])(
    'remembers a key for five minutes on a page that has been open for an hour: %s',
    async (_when, ms, skipped, calls) => {
      const stage = createStage();
      await stage.sim.advance(3_600_000);
      await stage.hold(() => stage.item('ticket', 7));
      void stage.dl.applyDirectives([keyed('k')]);
      await stage.sim.advance(ms);
      expect(stage.dl.devtools().seenKeys).toEqual(skipped.length > 0 ? ['k'] : []);
      stage.taken();
      await apply(stage, keyed('k'));
      expect(reasons(stage)).toEqual(skipped);
      expect(stage.taken()).toEqual(calls);
    },
  );

  it('D-FETCH-8 the promise of a duplicate waits for the refetches of the first directive', async () => {
    const stage = createStage();
    const { sim, dl, hold, item, list } = stage;
    await hold(
      () => item('ticket', 1),
      () => list('tickets'),
    );
    const change = {
      op: 'invalidate',
      idempotency_key: 'k',
      targets: [refreshItem('ticket', 1), refreshList('tickets')],
    };
    void dl.applyDirectives([change]);
    let isSettled = false;
    void dl.applyDirectives([change], { path: 'pull' }).then(() => (isSettled = true));
    await sim.advance(55);
    expect([isSettled, dl.hasAnyInFlightRequests()]).toEqual([false, true]);
    await sim.advance(5);
    expect([isSettled, dl.hasAnyInFlightRequests()]).toEqual([true, false]);
  });

  it('D-FETCH-8 the promise of a duplicate does not wait for requests that start after it', async () => {
    const stage = createStage();
    const { sim, dl, hold, item, server } = stage;
    await hold(
      () => item('ticket', 1),
      () => item('ticket', 2),
    );
    const change = refreshItem('ticket', 1, { idempotency_key: 'k' });
    await apply(stage, change);
    let isSettled = false;
    void dl.applyDirectives([change, refreshItem('ticket', 2)]).then(() => (isSettled = true));
    await sim.advance(55);
    server.latencyMs = 100;
    dl.fetchItem('ticket', 1, null, { force: true });
    await sim.advance(10);
    expect([isSettled, dl.hasAnyInFlightRequests()]).toEqual([true, true]);
  });

  it('ignores a second directive with the same key in one list', async () => {
    const stage = createStage();
    await stage.hold(() => stage.item('ticket', 7));
    await apply(stage, keyed('k'), keyed('k'));
    expect(reasons(stage)).toEqual(['duplicate']);
  });

  it('ignores a directive with the same key even when it names another entry', async () => {
    const stage = await createCachedStage();
    await apply(stage, keyed('k'), refreshList('tickets', { idempotency_key: 'k' }));
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it.each([
    ['idempotency_key', 'key'],
    ['key', 'idempotency_key'],
    ['key', 'key'],
  ])('treats %s and then %s as one namespace', async (first, second) => {
    const stage = createStage();
    await stage.hold(() => stage.item('ticket', 7));
    await apply(stage, { op: 'refresh', kind: 'item', name: 'ticket', id: 7, [first]: 'k' });
    await apply(stage, { op: 'refresh', kind: 'item', name: 'ticket', id: 7, [second]: 'k' });
    expect(stage.taken()).toEqual(['ticket 7']);
    expect(reasons(stage)).toEqual(['duplicate']);
  });

  it('remembers keys across all paths', async () => {
    const stage = createStage();
    const { sim, dl, hold, item, taken } = stage;
    await hold(() => item('ticket', 7));
    sim.route('POST /act', () => ({ directives: [keyed('k')] }));
    await Promise.all([dl.fetch('/act', { method: 'POST' }), sim.advance(100)]);
    expect(taken()).toEqual(['ticket 7']);
    await apply(stage, keyed('k'));
    dl.ingestEnvelope({ type: 'directives', seq: 1, audience: 'global', directives: [keyed('k')] });
    void dl.applyDirectives([keyed('k')], { path: 'pull' });
    await Promise.all([dl.fetch('/act', { method: 'POST' }), sim.advance(100)]);
    expect(taken()).toEqual([]);
    expect(reasons(stage)).toEqual(Array.from({ length: 4 }, () => 'duplicate'));
  });

  it('remembers keys separately for each data layer', async () => {
    const stage = createStage();
    const other = createStage({ sim: stage.sim });
    await stage.hold(() => stage.item('ticket', 7));
    await other.hold(() => other.item('ticket', 7));
    await apply(stage, keyed('k'));
    await apply(other, keyed('k'));
    expect(other.taken()).toEqual(['ticket 7']);
  });

  it.each([
    ['one millisecond before five minutes', 5 * minute - 1, 'duplicate'],
    ['after exactly five minutes', 5 * minute, 'applied'],
    ['one millisecond after five minutes', 5 * minute + 1, 'applied'],
  ])('%s the outcome of a repeated key is: %s', async (_title, ms, outcome) => {
    const stage = createStage();
    const { sim, dl } = stage;
    void dl.applyDirectives([keyed('k')]);
    await sim.advance(ms);
    void dl.applyDirectives([keyed('k')]);
    expect(reasons(stage)).toEqual(outcome === 'duplicate' ? ['duplicate'] : []);
  });

  it.each([
    [999, 'duplicate'],
    [1000, 'applied'],
  ])(
    'remembers the last 1000 keys: after %d other keys the outcome of a repeated key is %s',
    (others, outcome) => {
      const stage = createStage();
      const { dl } = stage;
      void dl.applyDirectives([keyed('first')]);
      void dl.applyDirectives(Array.from({ length: others }, (_, index) => keyed(`other ${index}`)));
      void dl.applyDirectives([keyed('first')]);
      expect(reasons(stage)).toEqual(outcome === 'duplicate' ? ['duplicate'] : []);
    },
  );

  it('a directive that was skipped for its source does not use up its key', async () => {
    const stage = createStage();
    await stage.hold(() => stage.item('ticket', 7));
    await apply(stage, keyed('k', { source: stage.dl.clientId() }));
    await apply(stage, keyed('k'));
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it('a directive for another audience does not use up its key', async () => {
    const stage = createStage();
    await stage.hold(() => stage.item('ticket', 7));
    await apply(stage, keyed('k', { audience: 'team-1' }));
    await apply(stage, keyed('k'));
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it('a directive for an entry that is not cached uses up its key', async () => {
    const stage = createStage();
    await apply(stage, keyed('k'));
    await stage.hold(() => stage.item('ticket', 7));
    await apply(stage, keyed('k'));
    expect(stage.taken()).toEqual([]);
  });

  it('a directive that was rejected does not use up its key', async () => {
    const stage = createStage();
    await stage.hold(() => stage.item('ticket', 7));
    await apply(stage, { op: 'refresh_item', name: 'ticket', idempotency_key: 'k' });
    await apply(stage, keyed('k'));
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it('directives without a key are never duplicates', async () => {
    const stage = createStage();
    await stage.hold(() => stage.item('ticket', 7));
    await apply(stage, refreshItem('ticket', 7));
    await apply(stage, refreshItem('ticket', 7));
    expect(stage.taken()).toEqual(['ticket 7', 'ticket 7']);
  });
});

describe('D-DIR-2 D-DIR-11 a directive that is only malformed because of its registered name', () => {
  it('does not use up its key', async () => {
    const stage = createStage();
    await stage.hold(() => stage.item('ticket', 1));
    // The directive needs an id because its name is that of a registered type.
    await apply(stage, { op: 'refresh', name: 'ticket', key: 'k' });
    expect(stage.of('directive:rejected')).toHaveLength(1);
    await apply(stage, refreshItem('ticket', 1, { idempotency_key: 'k' }));
    expect(reasons(stage)).toEqual([]);
    expect(stage.taken()).toEqual(['ticket 1']);
  });
});

describe('D-DIR-11 §8 keys of reloads', () => {
  const reload = (key: string): object => ({ op: 'force_reload_page', idempotency_key: key });

  it('skip a second reload with the same key', async () => {
    const stage = createStage();
    await apply(stage, reload('r'));
    await apply(stage, reload('r'));
    expect(stage.sim.reloads).toHaveLength(1);
    expect(reasons(stage)).toEqual(['duplicate']);
  });

  it('are written to the session storage before the reload starts', async () => {
    const stored: string[][] = [];
    const stage = createStage({
      env: (sim) => ({ reloadPage: () => void stored.push([...sim.sessionStore.values()]) }),
    });
    await apply(stage, reload('very-own-key'));
    expect(stored).toHaveLength(1);
    expect(stored[0]?.join()).toContain('very-own-key');
  });

  it('survive the reload: a directive that is delivered again does not reload again, however late', async () => {
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

  it('do not expire', async () => {
    const stage = createStage();
    await apply(stage, reload('r'));
    await stage.sim.advance(24 * 60 * minute);
    await apply(stage, reload('r'));
    expect(stage.sim.reloads).toHaveLength(1);
  });

  it('are remembered separately from other keys', async () => {
    const stage = createStage();
    await stage.hold(() => stage.item('ticket', 7));
    await apply(stage, reload('same'));
    await apply(stage, refreshItem('ticket', 7, { idempotency_key: 'same' }));
    expect(stage.taken()).toEqual(['ticket 7']);
    void stage.dl.applyDirectives(
      Array.from({ length: 1500 }, (_, index) => refreshItem('ticket', 7, { idempotency_key: `k${index}` })),
    );
    await apply(stage, reload('same'));
    expect(stage.sim.reloads).toHaveLength(1);
  });

  it.each([
    [2047, 'duplicate'],
    [2048, 'reloaded'],
  ])(
    'are remembered for the last 2048 reloads: after %d others the outcome of a repeated key is %s',
    async (others, outcome) => {
      const stage = createStage({ env: () => ({ reloadPage: () => undefined }) });
      const { dl } = stage;
      void dl.applyDirectives([reload('first')]);
      for (let index = 0; index < others; index += 1) void dl.applyDirectives([reload(`other ${index}`)]);
      void dl.applyDirectives([reload('first')]);
      expect(reasons(stage)).toEqual(outcome === 'duplicate' ? ['duplicate'] : []);
      await stage.sim.advance(0);
    },
  );

  it('a reload without a key is never a duplicate', async () => {
    const stage = createStage();
    await apply(stage, { op: 'force_reload_page' });
    await apply(stage, { op: 'force_reload_page' });
    expect(stage.sim.reloads).toHaveLength(2);
  });

  it.each<[string, { get: () => string | null; set: () => void } | null]>([
    ['there is no storage', null],
    [
      'the storage is full',
      {
        get: () => null,
        set: () => {
          throw new Error('quota');
        },
      },
    ],
    ['the storage contains invalid JSON', { get: () => '{{', set: () => undefined }],
    ['the storage contains an object instead of a list', { get: () => '{"a":1}', set: () => undefined }],
  ])('allow one reload and skip further ones, also after a reset, when %s', async (_title, sessionStore) => {
    let reloads = 0;
    const stage = createStage({ env: () => ({ sessionStore, reloadPage: () => void (reloads += 1) }) });
    await apply(stage, reload('r'));
    await apply(stage, reload('r'));
    stage.dl.reset();
    await apply(stage, reload('r'));
    expect(reloads).toBe(1);
  });

  it('are read from the storage even when it contains other values', async () => {
    let reloads = 0;
    const sessionStore = { get: () => '[1,null,{},"r"]', set: () => undefined };
    const stage = createStage({ env: () => ({ sessionStore, reloadPage: () => void (reloads += 1) }) });
    await apply(stage, reload('r'));
    expect(reloads).toBe(0);
    await apply(stage, reload('s'));
    expect(reloads).toBe(1);
  });

  it('include the key of a wrapper for a reload among its targets', async () => {
    const stage = createStage();
    const wrapper = { op: 'invalidate', idempotency_key: 'w', targets: [{ op: 'force_reload_page' }] };
    await apply(stage, wrapper);
    const dl = createDataLayer({ env: stage.sim.env });
    await dl.applyDirectives([wrapper]);
    // A target without a key uses the key of its wrapper, and the key of a reload survives the reload.
    expect(stage.sim.reloads).toHaveLength(1);
  });
});
