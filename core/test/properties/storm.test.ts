import { describe, expect, it } from 'vitest';
import { createSimulation } from '@edict/core/testing';

describe('a storm of directives', () => {
  it('D-FETCH-2 keeps showing new data, with fewer requests than directives and no aborts', async () => {
    const sim = createSimulation();
    const server = { v: 0, requests: 0 };
    const dl = sim.createDataLayer();
    dl.createType('ticket', {
      async fetch(id) {
        server.requests += 1;
        await sim.sleep(60);
        const { v } = server;
        await sim.sleep(60);
        return { id, v };
      },
    });
    const ref = dl.fetchItem('ticket', 1);
    const shown = new Set<unknown>();
    dl.onRefChange(ref, () => {
      if (ref.data !== null) shown.add(ref.data);
    });
    let aborts = 0;
    dl.onLifecycle('item:fetch:aborted', () => (aborts += 1));
    await sim.advance(200);
    for (let count = 0; count < 60; count += 1) {
      server.v += 1;
      sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
      await sim.advance(50);
    }
    await sim.settled();
    expect(shown.size).toBeGreaterThanOrEqual(20);
    expect(server.requests).toBeLessThanOrEqual(30);
    expect(aborts).toBe(0);
    expect(ref.data).toEqual({ id: 1, v: 60 });
    expect(ref.meta).toMatchObject({ isStale: false, isLoading: false, error: null });
  });

  it('D-DIR-5 for 200 items in one window causes one bulkFetch request', async () => {
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

  it('D-DIR-5 causes batches of at most maxBatchSize, separately for each level', async () => {
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
