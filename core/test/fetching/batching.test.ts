// The coalescing windows of directives, and their batches.

import { describe, expect, it } from 'vitest';
import { createSimulation } from '@edict/core/testing';
import { refreshItem } from '../directives.ts';
import { createStage } from '../world.ts';
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

describe('D-DIR-5 a window with directives for many items', () => {
  it('causes one bulkFetch request', async () => {
    const sim = createSimulation();
    const calls: number[] = [];
    let v = 1;
    const dl = sim.createDataLayer({ bulk: { maxBatchSize: 200 } });
    dl.createType('ticket', {
      fetch: () => {
        throw new Error('nothing is fetched singly');
      },
      bulkFetch(ids) {
        calls.push(ids.length);
        return ids.map((id) => ({ id, v }));
      },
    });
    const ids = Array.from({ length: 200 }, (_, id) => id);
    const refs = ids.map((id) => dl.fetchItem('ticket', id));
    await sim.settled();
    expect(calls).toEqual([200]);
    v = 2;
    for (const id of ids) {
      sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id }]);
      if (id % 50 === 49) await sim.advance(10);
    }
    await sim.settled();
    expect(calls).toEqual([200, 200]);
    expect(refs.every((ref) => (ref.data as { v: number }).v === 2 && !ref.meta.isStale)).toBe(true);
  });

  it('causes batches of at most maxBatchSize, separately for each level', async () => {
    const sim = createSimulation();
    const calls: string[] = [];
    const dl = sim.createDataLayer({ bulk: { maxBatchSize: 100 } });
    dl.createType('ticket', {
      fetch: (id) => ({ id }),
      bulkFetch(ids, level) {
        calls.push(`${level} ${ids.length}`);
        return ids.map((id) => ({ id, level }));
      },
      levels: { full: { fetch: (id) => ({ id }) }, notes: { fetch: (id) => ({ id }) } },
      levelConversionMap: { full: ['default'] },
    });
    for (let id = 0; id < 150; id += 1)
      for (const level of [null, 'full', 'notes']) dl.fetchItem('ticket', id, level);
    await sim.settled();
    calls.length = 0;
    sim.hub.emit(Array.from({ length: 150 }, (_, id) => ({ op: 'refresh_item', name: 'ticket', id })));
    await sim.settled();
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
