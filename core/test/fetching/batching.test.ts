// The coalescing windows of directives, and their batches.

import { describe, expect, it } from 'vitest';
import { missOne, refreshItem, refreshList } from '../directives.ts';
import { createCachedStage, createStage, createWorld } from '../world.ts';
import { kinds, setup } from './kinds.ts';

describe.each(kinds)(
  'D-DIR-5 §3 a directive for one entry ($kind)',
  ({ calls, read, good, shown, refresh }) => {
    it('marks a fresh entry stale immediately, and its refetch is coalesced with other directives', async () => {
      const world = setup();
      const ref = read(world);
      await calls(world).last().answer(good(1));
      expect(ref.meta.isStale).toBe(false);
      void world.dl.applyDirectives([refresh]);
      expect(ref.meta.isStale).toBe(true);
      await world.sim.advance(20);
      void world.dl.applyDirectives([refresh, refresh]);
      await world.sim.advance(29);
      expect(calls(world).calls).toHaveLength(1);
      await world.sim.advance(1);
      expect(calls(world).calls).toHaveLength(2);
      await calls(world).last().answer(good(2));
      await world.sim.advance(1000);
      expect(calls(world).calls).toHaveLength(2);
      expect(ref.data).toEqual(shown(2));
      expect(ref.meta.isStale).toBe(false);
    });

    it('refetches an entry that is stale by age', async () => {
      const world = setup();
      const ref = read(world);
      await calls(world).last().answer(good(1));
      await world.sim.advance(20_000);
      void world.dl.applyDirectives([refresh]);
      expect(ref.meta.isStale).toBe(true);
      await world.sim.advance(50);
      expect(calls(world).calls).toHaveLength(2);
    });
  },
);

describe('D-DIR-5 the coalescing window', () => {
  it('starts with the first pending directive and is not extended by later ones', async () => {
    const { sim, dl, hold, item, calls } = createStage();
    await hold(
      () => item('note', 1),
      () => item('note', 2),
      () => item('note', 3),
    );
    void dl.applyDirectives([refreshItem('note', 1)]);
    await sim.advance(25);
    void dl.applyDirectives([refreshItem('note', 2)]);
    await sim.advance(24);
    void dl.applyDirectives([refreshItem('note', 3)]);
    expect(calls).toEqual([]);
    await sim.advance(1);
    expect(calls).toEqual(['note 1,2,3']);
    await sim.advance(200);
    expect(calls).toEqual(['note 1,2,3']);
  });

  it('opens again for a directive that arrives after it closed', async () => {
    const { sim, dl, server, hold, item, taken } = createStage();
    server.latencyMs = 0;
    await hold(() => item('note', 1));
    void dl.applyDirectives([refreshItem('note', 1)]);
    await sim.advance(51);
    expect(taken()).toEqual(['note 1']);
    void dl.applyDirectives([refreshItem('note', 1)]);
    await sim.advance(49);
    expect(taken()).toEqual([]);
    await sim.advance(1);
    expect(taken()).toEqual(['note 1']);
  });

  it('has its full length again after several directives shared the previous one', async () => {
    const { sim, dl, hold, item, taken } = createStage();
    await hold(
      () => item('ticket', 1),
      () => item('ticket', 2),
      () => item('ticket', 3),
    );
    void dl.applyDirectives([refreshItem('ticket', 1)]);
    await sim.advance(30);
    void dl.applyDirectives([refreshItem('ticket', 2)]);
    await sim.advance(30);
    expect(taken()).toEqual(['ticket 1', 'ticket 2']);
    void dl.applyDirectives([refreshItem('ticket', 3)]);
    await sim.advance(49);
    expect(taken()).toEqual([]);
    await sim.advance(1);
    expect(taken()).toEqual(['ticket 3']);
  });

  it('D-SSE-9 passes a pending entry to a resync, which requests it once', async () => {
    const { sim, dl, hold, item, taken } = createStage({ env: () => ({ random: () => 0 }) });
    await hold(() => item('ticket', 1));
    dl.onRefChange(dl.getItemRef('ticket', 1), () => undefined);
    missOne(dl);
    await sim.advance(1490);
    void dl.applyDirectives([refreshItem('ticket', 1)]);
    await sim.advance(2500);
    expect(taken()).toEqual(['ticket 1']);
    expect(dl.getItemRef('ticket', 1).meta).toMatchObject({ isStale: false, isLoading: false });
  });

  it('D-SSE-9 a resync includes a silent read that waits in the read window, and its request is not silent', async () => {
    const { sim, dl, hold, item, taken, contexts } = createStage({
      env: () => ({ random: () => 0 }),
      init: { bulk: { readWindowMs: 5000 } },
    });
    item('note', 1);
    await sim.advance(5000);
    await hold(() => undefined);
    dl.onRefChange(dl.getItemRef('note', 1), () => undefined);
    await sim.advance(20_000);
    const ref = dl.fetchItem('note', 1, null, { silent: true });
    missOne(dl);
    await sim.advance(1500);
    expect(taken()).toEqual(['note 1']);
    expect(contexts.at(-1)?.force).toBe(true);
    expect(ref.meta.isLoading).toBe(true);
    await sim.advance(10_000);
    expect(taken()).toEqual([]);
  });

  it('requests an entry once, however many directives name it', async () => {
    const { sim, dl, taken } = await createCachedStage();
    for (let count = 0; count < 10; count += 1) {
      void dl.applyDirectives([
        refreshItem('ticket', 7),
        refreshItem('ticket', '7'),
        refreshList('tickets'),
        refreshList('tickets', { params: {} }),
      ]);
      await sim.advance(4);
    }
    await sim.advance(100);
    expect(taken().sort()).toEqual(['ticket 7', 'tickets {}']);
  });

  it('closes at the end of the current task when delayMs is 0', async () => {
    const { sim, dl, hold, item, calls } = createStage({
      init: { bulk: { delayMs: 0 } },
    });
    await hold(
      () => item('note', 1),
      () => item('note', 2),
    );
    void dl.applyDirectives([refreshItem('note', 1)]);
    void dl.applyDirectives([refreshItem('note', 2)]);
    expect(calls).toEqual([]);
    await sim.advance(0);
    expect(calls).toEqual(['note 1,2']);
  });

  it.each([
    [{}, 0.5, 50],
    [{ delayMs: 200 }, 0.5, 200],
    [{ jitterMs: 100 }, 0, 50],
    [{ jitterMs: 100 }, 0.5, 100],
    [{ jitterMs: 100 }, 0.9, 140],
  ])('§2.8 lasts delayMs + random() · jitterMs: with %j and %d, %d ms', async (bulk, random, windowMs) => {
    const { sim, dl, hold, item, calls } = createStage({
      init: { bulk },
      env: () => ({ random: () => random }),
    });
    await hold(() => item('ticket', 7));
    void dl.applyDirectives([refreshItem('ticket', 7)]);
    await sim.advance(windowMs - 1);
    expect(calls).toEqual([]);
    await sim.advance(1);
    expect(calls).toEqual(['ticket 7']);
  });

  it('a read of another entry does not wait for the window', async () => {
    const { dl, hold, item, list, calls } = createStage();
    await hold(() => item('ticket', 7));
    void dl.applyDirectives([refreshItem('ticket', 7)]);
    item('ticket', 8);
    list('tickets');
    expect(calls).toEqual(['ticket 8', 'tickets {}']);
  });

  it('calls bulkFetch for each type and level, or fetch for each item of a type without bulkFetch', async () => {
    const { sim, dl, hold, item, calls } = createStage();
    dl.createType('paper', {
      fetch: () => ({}),
      bulkFetch: (ids, level) => {
        calls.push(`paper ${ids.join(',')} ${level}`);
        return ids.map((id) => ({ id }));
      },
      levels: { full: { fetch: () => ({}) } },
    });
    await hold(
      () => item('note', 1),
      () => item('note', 2),
      () => item('paper', 1),
      () => item('paper', 2),
      () => item('paper', 1, 'full'),
      () => item('paper', 2, 'full'),
      () => item('ticket', 1),
      () => item('ticket', 2),
    );
    void dl.applyDirectives(
      ['note', 'paper', 'ticket'].flatMap((name) => [refreshItem(name, 1), refreshItem(name, 2)]),
    );
    await sim.advance(100);
    expect(calls.toSorted()).toEqual([
      'note 1,2',
      'paper 1,2 default',
      'paper 1,2 full',
      'ticket 1',
      'ticket 2',
    ]);
  });

  it.each([
    [100, [100]],
    [101, [100, 1]],
    [250, [100, 100, 50]],
  ])('splits %d items into batches of at most 100', async (count, sizes) => {
    const { sim, dl, hold, item, taken, of } = createStage();
    const ids = Array.from({ length: count }, (_, index) => index);
    await hold(...ids.map((id) => () => item('note', id)));
    void dl.applyDirectives(ids.map((id) => refreshItem('note', id)));
    await sim.advance(100);
    const asked = taken().map((call) => call.slice('note '.length).split(','));
    expect(asked.map((batch) => batch.length)).toEqual(sizes);
    expect(new Set(asked.flat()).size).toBe(count);
    expect(of('item:fetch:success')).toHaveLength(count);
  });
});

describe('D-DIR-5 a window with directives for many items', () => {
  it('causes one bulkFetch request, even if each directive has its own envelope', async () => {
    const { sim, dl, server, hold, item, calls } = createStage({
      init: { sse: {}, bulk: { maxBatchSize: 200 } },
    });
    const ids = Array.from({ length: 200 }, (_, id) => id);
    await hold(...ids.map((id) => () => item('note', id)));
    server.version = 2;
    for (const id of ids) {
      sim.hub.emit([{ op: 'refresh_item', name: 'note', id }]);
      if (id % 50 === 49) await sim.advance(10);
    }
    await sim.advance(100);
    expect(calls).toEqual([`note ${ids.join(',')}`]);
    expect(ids.map((id) => dl.getItemRef('note', id).data)).toEqual(ids.map((id) => ({ id, default: 2 })));
    expect(ids.some((id) => dl.getItemRef('note', id).meta.isStale)).toBe(false);
  });

  it('causes batches of at most maxBatchSize, separately for each level', async () => {
    const { sim, dl } = createWorld({ init: { bulk: { maxBatchSize: 100 } } });
    const calls: string[] = [];
    const fetch = (id: unknown) => ({ id });
    dl.createType('ticket', {
      fetch,
      bulkFetch(ids, level) {
        calls.push(`${level} ${ids.length}`);
        return ids.map((id) => ({ id, level }));
      },
      levels: { full: { fetch }, notes: { fetch } },
      levelConversionMap: { full: ['default'] },
    });
    const ids = Array.from({ length: 150 }, (_, id) => id);
    for (const id of ids) for (const level of [null, 'full', 'notes']) dl.fetchItem('ticket', id, level);
    await sim.advance(100);
    calls.length = 0;
    void dl.applyDirectives(ids.map((id) => refreshItem('ticket', id)));
    await sim.advance(100);
    expect(calls.sort()).toEqual(['full 100', 'full 50', 'notes 100', 'notes 50']);
  });
});

async function mutationStage(pullDelayMs?: number) {
  const stage = createStage({ init: { bulk: pullDelayMs === undefined ? {} : { pullDelayMs } } });
  await stage.hold(
    () => stage.item('note', 1),
    () => stage.item('note', 2),
  );
  const apply = (path: 'push' | 'pull', ...ids: number[]): Promise<void> =>
    stage.dl.applyDirectives(
      ids.map((id) => refreshItem('note', id)),
      { path },
    );
  return { ...stage, apply };
}

describe('D-DIR-5 the directives in the response of an own mutation', () => {
  it('do not wait for the window and share one request', async () => {
    const { sim, apply, taken } = await mutationStage();
    void apply('pull', 1, 2);
    expect(taken()).toEqual([]);
    await sim.advance(0);
    expect(taken()).toEqual(['note 1,2']);
  });

  it('include the waiting refetches of the same entries, and leave other entries in their window', async () => {
    const { sim, apply, taken } = await mutationStage();
    const pushed = apply('push', 1, 2);
    await sim.advance(20);
    void apply('pull', 1);
    await sim.advance(0);
    expect(taken()).toEqual(['note 1']);
    await sim.advance(29);
    expect(taken()).toEqual([]);
    await sim.advance(1);
    expect(taken()).toEqual(['note 2']);
    await sim.advance(20);
    await pushed;
  });

  it('do not close a window that they emptied', async () => {
    const { sim, apply, taken } = await mutationStage();
    void apply('push', 1);
    void apply('pull', 1);
    await sim.advance(30);
    expect(taken()).toEqual(['note 1']);
    void apply('push', 2);
    await sim.advance(20);
    expect(taken()).toEqual(['note 2']);
  });

  it('wait for pullDelayMs', async () => {
    const { sim, apply, taken } = await mutationStage(30);
    void apply('pull', 1);
    await sim.advance(29);
    expect(taken()).toEqual([]);
    await sim.advance(1);
    expect(taken()).toEqual(['note 1']);
  });
});

describe('D-DIR-5 a directive that arrives while the window of another one closes', () => {
  it.each([
    ['a listener', 'listener', {}],
    ['a fetch function', 'function', {}],
    ['a fetch function, for a level that its request also returns', 'function', { level: 'brief' }],
  ])('from %s causes a follow-up', async (_title, from, more) => {
    const { dl, sim, held } = createWorld();
    const one = held();
    let requests = 0;
    const change = (): void => {
      requests += 1;
      if (requests === 2) void dl.applyDirectives([refreshItem('doc', 1, more)]);
    };
    const fetch: typeof one.fetch = (id, ctx) => {
      if (from === 'function') change();
      return one.fetch(id, ctx);
    };
    if (from === 'listener') dl.onLifecycle('item:fetch:intent', change);
    dl.createType('doc', {
      fetch,
      levelConversionMap: { full: ['brief'] },
      levels: { full: { fetch }, brief: { fetch } },
    });
    const ref = dl.fetchItem('doc', 1, 'full');
    dl.onRefChange(ref, () => undefined);
    await one.at(0).answer({ version: 1 });
    void dl.applyDirectives([refreshItem('doc', 1)]);
    await sim.advance(50);
    await one.at(1).answer({ version: 1 });
    await sim.advance(50);
    await one.at(2).answer({ version: 2 });
    await sim.advance(1000);
    expect(one.calls).toHaveLength(3);
    expect(ref.data).toEqual({ version: 2 });
    expect(ref.meta).toMatchObject({ isStale: false, isLoading: false });
  });
});
