// Memory: which entries are evicted, when, and which events report it.

import { dehydrate, hydrate } from '@edict/core/hydration';
import { describe, expect, it } from 'vitest';
import type { Id, InitOptions, Reference } from '@edict/core';
import { createDataLayer } from '@edict/core';
import { refreshItem, refreshList } from '../directives.ts';
import { createWorld } from '../world.ts';

const brief = { pruneIntervalMs: 1000, itemEntryTtlMs: 5500, collectionEntryTtlMs: 5500 };

function setup(memory: InitOptions['memory'] = {}) {
  const world = createWorld({ init: { memory: { ...brief, ...memory } } });
  const { dl } = world;
  const fetched: unknown[] = [];
  dl.createType('ticket', { fetch: (id) => (fetched.push(id), { id }), timeoutMs: 0 });
  dl.createType('user', { fetch: (id) => ({ id }) });
  dl.createCollection('tickets', { fetch: (params) => (fetched.push(params), { ids: [1] }) });
  dl.createCollection('users', { fetch: () => ({ ids: [] }) });
  return {
    ...world,
    fetched,
    ids: (type = 'ticket') => Object.keys(dl.devtools().items[type] ?? {}),
    keys: (name = 'tickets') => Object.keys(dl.devtools().refs[name] ?? {}),
  };
}

type Setup = ReturnType<typeof setup>;

const kinds = [
  {
    kind: 'item',
    name: 'ticket',
    read: ({ dl }: Setup, at: number) => dl.fetchItem('ticket', at),
    look: ({ dl }: Setup, at: number) => dl.getItemRef('ticket', at),
    held: (world: Setup) => world.ids().map(Number),
    refresh: refreshItem('ticket', 0),
    max: (count: number): InitOptions['memory'] => ({ maxItemsPerType: count }),
    key: '0',
  },
  {
    kind: 'collection',
    name: 'tickets',
    read: ({ dl }: Setup, at: number) => dl.fetchCollection('tickets', { params: { at } }),
    look: ({ dl }: Setup, at: number) => dl.getCollectionRef('tickets', { params: { at } }),
    held: (world: Setup) => world.keys().map((key) => (JSON.parse(key) as { at: number }).at),
    refresh: refreshList('tickets', { params: { at: 0 } }),
    max: (count: number): InitOptions['memory'] => ({ maxCollectionRefsPerCollection: count }),
    key: '{"at":0}',
  },
] as const;

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

describe('D-MEM-1 the maximum', () => {
  it('of items applies per type', async () => {
    const { dl, sim, ids } = setup({ maxItemsPerType: 2 });
    for (const id of [1, 2, 3]) {
      dl.fetchItem('ticket', id);
      dl.fetchItem('user', id);
    }
    await sim.advance(1000);
    expect([ids('ticket').length, ids('user').length]).toEqual([2, 2]);
  });

  it('evicts no entry below the limit', async () => {
    const { dl, sim, ids } = setup({ maxItemsPerType: 12 });
    for (let id = 1; id <= 11; id += 1) dl.fetchItem('ticket', id);
    await sim.advance(1000);
    expect(ids()).toHaveLength(11);
  });

  it('of collection entries applies per collection', async () => {
    const { dl, sim, keys } = setup({ maxCollectionRefsPerCollection: 2 });
    for (const at of [1, 2, 3]) {
      dl.fetchCollection('tickets', { params: { at } });
      dl.fetchCollection('users', { params: { at } });
    }
    await sim.advance(1000);
    expect([keys('tickets').length, keys('users').length]).toEqual([2, 2]);
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

describe('D-MEM-2 switching eviction and its timer', () => {
  it('pruneIntervalMs of init applies to entries that were read before init', async () => {
    const { dl, sim } = createWorld({ init: null });
    dl.createType('ticket', { fetch: (id) => ({ id }) });
    dl.fetchItem('ticket', 1);
    dl.init({ sse: { enabled: false }, memory: { pruneIntervalMs: 1000, maxItemsPerType: 0 } });
    await sim.advance(1000);
    expect(dl.state().memory.items).toBe(0);
  });

  it('enabled: false stops eviction', async () => {
    const { dl, sim, ids } = setup({ enabled: false, maxItemsPerType: 1 });
    for (const id of [1, 2, 3]) dl.fetchItem('ticket', id);
    await sim.advance(3_600_000);
    expect(ids()).toEqual(['1', '2', '3']);
  });

  it('configureMemory stops and restarts eviction', async () => {
    const { dl, sim, ids } = setup();
    dl.fetchItem('ticket', 1);
    dl.configureMemory({ enabled: false });
    await sim.advance(60_000);
    expect(ids()).toEqual(['1']);
    dl.configureMemory({ enabled: true });
    await sim.advance(1000);
    expect(ids()).toEqual([]);
  });

  it('configureMemory changes the interval of a running timer', async () => {
    const { dl, sim, ids } = setup({ pruneIntervalMs: 3_600_000 });
    dl.fetchItem('ticket', 1);
    await sim.advance(10_000);
    dl.configureMemory({ pruneIntervalMs: 100 });
    await sim.advance(100);
    expect(ids()).toEqual([]);
  });

  it('configureMemory after dispose sets no timer', () => {
    const { dl, sim } = setup();
    dl.fetchItem('ticket', 1);
    dl.dispose();
    dl.configureMemory({ pruneIntervalMs: 5 });
    expect(sim.pendingTimers()).toBe(0);
  });

  it('the timer exists only while entries exist', async () => {
    const { dl, sim } = setup();
    expect(sim.pendingTimers()).toBe(0);
    dl.fetchItem('ticket', 1);
    dl.fetchItem('ticket', 2);
    dl.fetchCollection('tickets');
    await sim.advance(0);
    expect(sim.pendingTimers()).toBe(1);
    await sim.advance(6500);
    expect(sim.pendingTimers()).toBe(0);
    dl.getItemRef('ticket', 3);
    expect(sim.pendingTimers()).toBe(1);
    dl.dispose();
    expect(sim.pendingTimers()).toBe(0);
  });

  it('the timer stops while every entry has a subscriber and restarts when one loses its subscriber', async () => {
    const { dl, sim, ids } = setup();
    const leave = [1, 2].map((id) => dl.onRefChange(dl.fetchItem('ticket', id), () => undefined));
    await sim.advance(1000);
    expect(sim.pendingTimers()).toBe(0);
    leave[0]?.();
    expect(sim.pendingTimers()).toBe(1);
    await sim.advance(6500);
    expect(ids()).toEqual(['2']);
    expect(sim.pendingTimers()).toBe(0);
    dl.fetchItem('ticket', 3);
    leave[1]?.();
    await sim.advance(6500);
    expect(ids()).toEqual([]);
  });

  it('there is no timer with enabled: false', async () => {
    const { dl, sim } = setup({ enabled: false });
    dl.fetchItem('ticket', 1);
    await sim.advance(0);
    expect(sim.pendingTimers()).toBe(0);
  });

  it('the timer does not keep a Node process alive', async () => {
    const timers = (): number =>
      process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const dl = createDataLayer();
    dl.init({ sse: { enabled: false } });
    dl.createType('ticket', { fetch: (id: Id) => ({ id }), timeoutMs: 0 });
    dl.fetchItem('ticket', 1);
    await dl.whenSettled();
    const before = timers();
    const awake = setTimeout(() => undefined, 60_000);
    expect(timers()).toBe(before + 1);
    clearTimeout(awake);
    dl.dispose();
    // If the sweep timer kept the process alive, dispose would have reduced the count.
    expect(timers()).toBe(before);
  });
});
