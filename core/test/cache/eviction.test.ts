// Which entries are evicted, when, and which events report it.

import type { InitOptions, Reference } from '@edict/core';
import { dehydrate, hydrate } from '@edict/core/hydration';
import { describe, expect, it } from 'vitest';
import { kinds, setup } from './shortLived.ts';

describe.each(kinds)('D-MEM-1 age ($kind)', ({ kind, read, held, refresh }) => {
  it('an entry is evicted at the first sweep after its TTL and not earlier', async () => {
    const world = setup();
    read(world, 0);
    await world.sim.advance(5499);
    expect(held(world)).toEqual([0]);
    await world.sim.advance(1001);
    expect(held(world)).toEqual([]);
  });

  it('a read restarts the TTL', async () => {
    const world = setup();
    read(world, 0);
    await world.sim.advance(5000);
    read(world, 0);
    await world.sim.advance(5499);
    expect(held(world)).toEqual([0]);
    await world.sim.advance(1001);
    expect(held(world)).toEqual([]);
  });

  it('a subscription restarts the TTL when it ends', async () => {
    const world = setup();
    const ref = read(world, 0);
    await world.sim.advance(5000);
    const stop = world.dl.onRefChange(ref, () => undefined);
    await world.sim.advance(60_000);
    expect(held(world)).toEqual([0]);
    stop();
    await world.sim.advance(5499);
    expect(held(world)).toEqual([0]);
    await world.sim.advance(1001);
    expect(held(world)).toEqual([]);
  });

  it('a subscription updates lastUsedAt', async () => {
    const world = setup();
    const ref = read(world, 0);
    await world.sim.advance(5000);
    world.dl.onRefChange(ref, () => undefined);
    expect(ref.meta.lastUsedAt).toBe(world.iso());
  });

  it('an inline result does not restart the TTL', async () => {
    const world = setup();
    const ref = read(world, 0);
    const { lastUsedAt } = ref.meta;
    await world.sim.advance(5000);
    const result = kind === 'item' ? { id: 0, inline: true } : { ids: [7] };
    void world.dl.applyDirectives([{ ...refresh, result }]);
    expect(ref.data).toMatchObject(kind === 'item' ? { inline: true } : { ids: [7] });
    expect(ref.meta.lastUsedAt).toBe(lastUsedAt);
    await world.sim.advance(1500);
    expect(held(world)).toEqual([]);
  });

  it('a refetch by a directive does not restart the TTL', async () => {
    const world = setup();
    read(world, 0);
    await world.sim.advance(4900);
    void world.dl.applyDirectives([refresh]);
    await world.sim.advance(100);
    expect(world.fetched).toHaveLength(2);
    await world.sim.advance(1500);
    expect(held(world)).toEqual([]);
  });
});

describe.each(kinds)('D-MEM-1 entries that are never evicted ($kind)', ({ kind, read, held, max }) => {
  it('an entry with a subscriber is evicted neither by age nor by capacity', async () => {
    const world = setup(max(1));
    for (const at of [0, 1, 2]) world.dl.onRefChange(read(world, at), () => undefined);
    await world.sim.advance(60_000);
    expect(held(world)).toEqual([0, 1, 2]);
    expect(world.of('memory:evict')).toEqual([]);
  });

  it('an entry stays as long as one of several subscribers remains', async () => {
    const world = setup();
    const ref = read(world, 0);
    const stops = [1, 2].map(() => world.dl.onRefChange(ref, () => undefined));
    stops[0]!();
    stops[0]!();
    await world.sim.advance(60_000);
    expect(held(world)).toEqual([0]);
    stops[1]!();
    await world.sim.advance(60_000);
    expect(held(world)).toEqual([]);
  });

  it('an entry in flight is evicted neither by age nor by capacity', async () => {
    const world = setup(max(1));
    const slow = world.held();
    world.dl.createType('ticket', { fetch: slow.fetch, timeoutMs: 0 });
    world.dl.createCollection('tickets', { fetch: slow.fetch, timeoutMs: 0 });
    for (const at of [0, 1, 2]) read(world, at);
    await world.sim.advance(60_000);
    expect(held(world)).toEqual([0, 1, 2]);
    for (const call of slow.calls) await call.answer(kind === 'item' ? {} : { ids: [] });
    await world.sim.advance(1000);
    expect(held(world)).toEqual([]);
  });

  it('an entry with a follow-up in flight is not evicted by capacity', async () => {
    const world = setup(max(0));
    const slow = world.held();
    world.dl.createType('ticket', { fetch: slow.fetch, timeoutMs: 0 });
    world.dl.createCollection('tickets', { fetch: slow.fetch, timeoutMs: 0 });
    read(world, 0);
    if (kind === 'item') world.dl.fetchItem('ticket', 0, null, { force: true });
    else world.dl.fetchCollection('tickets', { params: { at: 0 }, force: true });
    await slow.at(0).answer(kind === 'item' ? {} : { ids: [] });
    await world.sim.advance(2000);
    expect(held(world)).toEqual([0]);
  });

  it('a hydrated entry that has not been read is not evicted by capacity', async () => {
    const donor = setup();
    for (const at of [0, 1, 2]) read(donor, at);
    await donor.sim.advance(0);
    const world = setup(max(1));
    hydrate(world.dl, dehydrate(donor.dl));
    await world.sim.advance(1000);
    expect(new Set(held(world))).toEqual(new Set([0, 1, 2]));
  });
});

describe.each(kinds)('D-MEM-1 over the maximum ($kind)', ({ read, held, max }) => {
  it.each<[string, number, number, number[]]>([
    ['empty', 2, 0, []],
    ['one', 2, 1, [0]],
    ['exactly the maximum', 2, 2, [0, 1]],
    ['one less, with two digits', 12, 11, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
    ['one more', 2, 3, [1, 2]],
    ['many more', 2, 10, [8, 9]],
    ['a maximum of 1', 1, 3, [2]],
    ['a maximum of 0', 0, 3, []],
  ])('%s: the sweep evicts the surplus, least recently used first', async (_, limit, count, left) => {
    const world = setup(max(limit));
    for (let at = 0; at < count; at += 1) {
      read(world, at);
      await world.sim.advance(1);
    }
    expect(held(world)).toHaveLength(count);
    await world.sim.advance(1000 - count);
    expect(held(world)).toEqual(left);
    expect(world.of('memory:evict').every(({ reason }) => reason === 'capacity')).toBe(true);
  });

  it('entries are evicted in the order of use, not of creation', async () => {
    const world = setup(max(2));
    for (const at of [0, 1, 2, 0]) {
      read(world, at);
      await world.sim.advance(1);
    }
    await world.sim.advance(1000);
    expect(new Set(held(world))).toEqual(new Set([0, 2]));
  });

  it('the surplus is evicted from the entries without a subscriber', async () => {
    const world = setup(max(2));
    for (const at of [0, 1]) {
      world.dl.onRefChange(read(world, at), () => undefined);
      await world.sim.advance(1);
    }
    for (const at of [2, 3]) read(world, at);
    await world.sim.advance(1000);
    expect(held(world)).toEqual([0, 1]);
  });

  it('no more entries are evicted than the surplus', async () => {
    const world = setup(max(3));
    world.dl.onRefChange(read(world, 0), () => undefined);
    for (const at of [1, 2, 3]) {
      await world.sim.advance(1);
      read(world, at);
    }
    await world.sim.advance(1000);
    expect(held(world)).toEqual([0, 2, 3]);
  });

  it('entries that are evicted by age do not count toward the surplus', async () => {
    const world = setup({ ...max(1), itemEntryTtlMs: 1000, collectionEntryTtlMs: 1000 });
    read(world, 0);
    await world.sim.advance(1);
    for (const which of [1, 2]) {
      read(world, which);
      await world.sim.advance(1);
    }
    await world.sim.advance(997);
    expect(held(world)).toEqual([2]);
    expect(world.of('memory:evict').map(({ reason }) => reason)).toEqual(['ttl', 'capacity']);
  });

  it('a screen with more entries than the maximum keeps its references and sends no request twice', async () => {
    const world = setup(max(2));
    const refs = [0, 1, 2, 3, 4].map((at) => read(world, at));
    for (const ref of refs) world.dl.onRefChange(ref, () => undefined);
    await world.sim.advance(10_000);
    expect([0, 1, 2, 3, 4].map((at) => read(world, at))).toEqual(refs);
    expect(world.fetched).toHaveLength(5);
  });
});

it('D-MEM-1 the maximum applies per type and per collection', async () => {
  const { dl, sim, ids, keys } = setup({ maxItemsPerType: 2, maxCollectionRefsPerCollection: 2 });
  for (const at of [1, 2, 3]) {
    for (const type of ['ticket', 'user']) dl.fetchItem(type, at);
    for (const name of ['tickets', 'users']) dl.fetchCollection(name, { params: { at } });
  }
  await sim.advance(1000);
  const held = [ids('ticket'), ids('user'), keys('tickets'), keys('users')];
  expect(held.map(({ length }) => length)).toEqual([2, 2, 2, 2]);
});

describe('§2.8 §8 options of memory', () => {
  it('the defaults match the table', () => {
    expect(setup({}, {}).dl.state().memory).toEqual({
      enabled: true,
      maxItemsPerType: 512,
      itemEntryTtlMs: 900_000,
      maxCollectionRefsPerCollection: 12,
      collectionEntryTtlMs: 600_000,
      pruneIntervalMs: 60_000,
      items: 0,
      collections: 0,
    });
  });

  it.each(kinds)('by default, $limit entries stay and one more evicts one ($kind)', async (one) => {
    const world = setup({}, {});
    for (let at = 0; at < one.limit; at += 1) one.read(world, at);
    await world.sim.advance(60_000);
    expect(one.held(world)).toHaveLength(one.limit);
    one.read(world, one.limit);
    await world.sim.advance(60_000);
    expect(one.held(world)).toHaveLength(one.limit);
  });

  it.each(kinds)('by default, an entry is evicted after $ttlMs ms ($kind)', async ({ read, held, ttlMs }) => {
    const world = setup({}, {});
    read(world, 0);
    await world.sim.advance(ttlMs - 1);
    expect(held(world)).toEqual([0]);
    await world.sim.advance(60_001);
    expect(held(world)).toEqual([]);
  });

  it.each<[string, InitOptions['memory'], [number, number]]>([
    ['maxItemsPerType', { maxItemsPerType: 2 }, [2, 4]],
    ['maxCollectionRefsPerCollection', { maxCollectionRefsPerCollection: 1 }, [4, 1]],
    ['itemEntryTtlMs', { itemEntryTtlMs: 900 }, [0, 4]],
    ['collectionEntryTtlMs', { collectionEntryTtlMs: 900 }, [4, 0]],
    ['enabled: false', { enabled: false, maxItemsPerType: 1, itemEntryTtlMs: 1 }, [4, 4]],
  ])('%s determines how many entries stay after a sweep', async (_, memory, left) => {
    const { sim, dl, ids, keys } = setup(memory);
    for (let at = 0; at < 4; at += 1) {
      dl.fetchItem('ticket', at);
      dl.fetchCollection('tickets', { params: { at } });
    }
    const counts = (): number[] => [ids().length, keys().length];
    await sim.advance(999);
    expect(counts()).toEqual([4, 4]);
    await sim.advance(1);
    expect(counts()).toEqual(left);
    const { items, collections } = dl.state().memory;
    expect([items, collections]).toEqual(left);
  });
});

describe.each(kinds)('D-MEM-2 an eviction ($kind)', ({ kind, name, read, look, held, max, key }) => {
  it.each<[string, InitOptions['memory'], 'ttl' | 'capacity', number]>([
    ['by age', {}, 'ttl', 6500],
    ['by capacity', max(0), 'capacity', 1000],
  ])('%s emits memory:evict with kind, name, key and reason', async (_, memory, reason, wait) => {
    const world = setup(memory);
    read(world, 0);
    await world.sim.advance(wait);
    expect(world.of('memory:evict')).toEqual([{ kind, name, key, reason }]);
  });

  it('D-MEM-1 skips an entry that a listener subscribes to during the eviction of another entry', async () => {
    const world = setup();
    for (const which of [0, 1]) read(world, which);
    const taken: Reference[] = [];
    world.dl.onLifecycle('memory:evict', () => {
      if (taken.length > 0) return;
      const ref = look(world, 1);
      world.dl.onRefChange(ref, () => undefined);
      taken.push(ref);
    });
    await world.sim.advance(6500);
    expect(taken[0]).toBe(look(world, 1));
    expect(held(world)).toHaveLength(1);
  });

  it('emits its event after the entry was removed', async () => {
    const world = setup();
    const ref = read(world, 0);
    const seen: unknown[] = [];
    world.dl.onLifecycle('memory:evict', () => {
      const { memory } = world.dl.state();
      seen.push([held(world), memory.items + memory.collections, look(world, 0) === ref]);
    });
    await world.sim.advance(6500);
    expect(seen).toEqual([[[], 0, false]]);
  });

  it('is followed by a new reference and a request if a listener of its event reads the entry', async () => {
    const world = setup();
    const ref = read(world, 0);
    let inside: unknown = null;
    world.dl.onLifecycle('memory:evict', () => (inside ??= read(world, 0)));
    await world.sim.advance(6500);
    expect(inside).not.toBeNull();
    expect(inside).not.toBe(ref);
    expect(read(world, 0)).toBe(inside);
    expect(world.fetched).toHaveLength(2);
  });

  it('is followed by a new reference at the next read, while the old reference keeps its data', async () => {
    const world = setup();
    const ref = read(world, 0);
    await world.sim.advance(6500);
    const { data } = ref;
    const again = read(world, 0);
    expect(again).not.toBe(ref);
    expect(again.meta.isLoading).toBe(true);
    await world.sim.advance(0);
    expect(again.data).toEqual(data);
    expect(ref.data).toBe(data);
    expect(look(world, 0)).toBe(again);
  });

  it('marks the old reference stale because directives no longer reach it', async () => {
    const world = setup();
    const ref = read(world, 0);
    await world.sim.advance(10);
    expect(ref.meta.isStale).toBe(false);
    await world.sim.advance(6490);
    expect(ref.meta.isStale).toBe(true);
  });
});
