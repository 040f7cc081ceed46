// Specification §3: the states of an entry, the transitions between them (the rows of the table), and the connection.

import { describe, expect, it } from 'vitest';
import type { InitOptions } from '@edict/core';
import { refreshItem, refreshList } from '../directives.ts';
import { createWorld } from '../world.ts';

function setup(init: InitOptions = {}) {
  const world = createWorld({ init });
  const item = world.held();
  const full = world.held();
  const list = world.held();
  world.dl.createType('ticket', { fetch: item.fetch, levels: { full: { fetch: full.fetch } } });
  world.dl.createCollection('tickets', { fetch: list.fetch });
  return { ...world, item, full, list };
}

type Setup = ReturnType<typeof setup>;

/** The same transitions for an item and for a collection. */
const kinds = [
  {
    kind: 'item',
    calls: (world: Setup) => world.item,
    read: (world: Setup, force = false) => world.dl.fetchItem('ticket', 1, null, { force }),
    good: (version: number): unknown => ({ id: 1, version }),
    shown: (version: number): unknown => ({ id: 1, version }),
    empty: null as unknown,
    refresh: refreshItem('ticket', 1),
  },
  {
    kind: 'collection',
    calls: (world: Setup) => world.list,
    read: (world: Setup, force = false) => world.dl.fetchCollection('tickets', { force }),
    good: (version: number): unknown => ({ ids: [version] }),
    shown: (version: number): unknown => ({ ids: [version], count: 1 }),
    empty: { ids: [], count: 0 } as unknown,
    refresh: refreshList('tickets'),
  },
] as const;

describe.each(kinds)('§3 an entry ($kind)', ({ calls, read, good, shown, empty, refresh }) => {
  it('a fresh entry becomes stale at exactly stalenessMs, not 1 ms earlier, and keeps its data', async () => {
    const world = setup();
    const ref = read(world);
    await calls(world).last().answer(good(1));
    await world.sim.advance(14_999);
    expect(ref.meta.isStale).toBe(false);
    expect(read(world)).toBe(ref);
    expect(calls(world).calls).toHaveLength(1);
    await world.sim.advance(1);
    expect(ref.meta.isStale).toBe(true);
    expect(ref.data).toEqual(shown(1));
    read(world);
    expect(calls(world).calls).toHaveLength(2);
    expect(ref.data).toEqual(shown(1));
    expect(ref.meta.isLoading).toBe(true);
  });

  it('time alone starts no request, even with a subscriber', async () => {
    const world = setup();
    const ref = read(world);
    world.dl.onRefChange(ref, () => undefined);
    await calls(world).last().answer(good(1));
    await world.sim.advance(3_600_000);
    expect(calls(world).calls).toHaveLength(1);
  });

  it('a directive marks a fresh entry stale immediately, and its refetch is coalesced with other directives', async () => {
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

  it('a directive refetches a stale entry', async () => {
    const world = setup();
    const ref = read(world);
    await calls(world).last().answer(good(1));
    await world.sim.advance(20_000);
    void world.dl.applyDirectives([refresh]);
    expect(ref.meta.isStale).toBe(true);
    await world.sim.advance(50);
    expect(calls(world).calls).toHaveLength(2);
  });

  it('a fetch that fails sets the error and keeps the data', async () => {
    const world = setup();
    const ref = read(world);
    await calls(world).last().fail(new Error('down'));
    expect(ref.data).toEqual(empty);
    expect(ref.meta).toMatchObject({ isLoading: false, error: 'down' });
    read(world, true);
    await calls(world).last().answer(good(1));
    read(world, true);
    await calls(world).last().fail(new Error('down again'));
    expect(ref.data).toEqual(shown(1));
    expect(ref.meta.error).toBe('down again');
  });

  it('a failed entry is not retried by ordinary reads at any later time and keeps its reference', async () => {
    const world = setup({ memory: { enabled: false } });
    const ref = read(world);
    await calls(world).last().fail(new Error('down'));
    const { meta } = ref;
    for (const wait of [0, 14_999, 1, 1, 3_600_000]) {
      await world.sim.advance(wait);
      expect(read(world)).toBe(ref);
    }
    expect(calls(world).calls).toHaveLength(1);
    expect(ref.meta).toBe(meta);
  });

  it('a failed entry with stale data is not retried by a read', async () => {
    const world = setup();
    read(world);
    await calls(world).last().answer(good(1));
    read(world, true);
    await calls(world).last().fail(new Error('down'));
    await world.sim.advance(60_000);
    read(world);
    expect(calls(world).calls).toHaveLength(2);
  });

  it('a failed entry is loading with force: true, then fresh', async () => {
    const world = setup();
    const ref = read(world);
    await calls(world).last().fail(new Error('down'));
    read(world, true);
    expect(ref.meta.isLoading).toBe(true);
    expect(calls(world).last().ctx.force).toBe(true);
    await calls(world).last().answer(good(1));
    expect(ref.data).toEqual(shown(1));
    expect(ref.meta).toMatchObject({ isLoading: false, error: null, isStale: false });
  });

  it('a failed entry is loading with force: true, then failed again', async () => {
    const world = setup();
    const ref = read(world);
    await calls(world).last().fail(new Error('first'));
    read(world, true);
    expect(ref.meta.isLoading).toBe(true);
    await calls(world).last().fail(new Error('second'));
    expect(ref.meta).toMatchObject({ isLoading: false, error: 'second' });
  });

  it('a failed entry is loading after a refresh directive, by a forced fetch, then fresh', async () => {
    const world = setup();
    const ref = read(world);
    await calls(world).last().fail(new Error('down'));
    void world.dl.applyDirectives([refresh]);
    await world.sim.advance(50);
    expect(ref.meta.isLoading).toBe(true);
    expect(calls(world).last().ctx.force).toBe(true);
    await calls(world).last().answer(good(1));
    expect(ref.data).toEqual(shown(1));
    expect(ref.meta).toMatchObject({ isLoading: false, error: null, isStale: false });
  });

  it('a failed entry is loading when it is read after a refresh directive that sent no request', async () => {
    const world = setup({ bulk: { refetch: 'watched' } });
    const ref = read(world);
    await calls(world).last().fail(new Error('down'));
    read(world);
    await world.dl.applyDirectives([refresh]);
    await world.sim.advance(100);
    expect(calls(world).calls).toHaveLength(1);
    expect(ref.meta.error).toBe('down');
    read(world);
    expect(ref.meta.isLoading).toBe(true);
    await calls(world).at(1).answer(good(2));
    expect([ref.data, ref.meta.error]).toEqual([shown(2), null]);
  });

  it('a failed entry is fetched by a read if a directive arrived while the failed request was in flight', async () => {
    const world = setup({ bulk: { refetch: 'watched' } });
    read(world);
    await world.dl.applyDirectives([refresh]);
    await calls(world).last().fail(new Error('down'));
    read(world);
    expect(calls(world).calls).toHaveLength(2);
    await calls(world).at(1).fail(new Error('still down'));
    read(world);
    expect(calls(world).calls).toHaveLength(2);
  });

  it('a failed entry is failed again if the refetch of a refresh directive fails', async () => {
    const world = setup();
    const ref = read(world);
    await calls(world).last().fail(new Error('first'));
    void world.dl.applyDirectives([refresh]);
    await world.sim.advance(50);
    await calls(world).last().fail(new Error('second'));
    expect(ref.meta).toMatchObject({ isLoading: false, error: 'second' });
    read(world);
    expect(calls(world).calls).toHaveLength(2);
  });
});

describe('§3 a directive', () => {
  it('leaves entries that it does not affect fresh', async () => {
    const { dl, sim, item, list } = setup();
    const one = dl.fetchItem('ticket', 1);
    const two = dl.fetchItem('ticket', 2);
    const tickets = dl.fetchCollection('tickets');
    for (const call of item.calls) await call.answer({ id: call.asked });
    await list.last().answer({ ids: [1, 2] });
    void dl.applyDirectives([refreshItem('ticket', 1)]);
    expect([one, two, tickets].map(({ meta }) => meta.isStale)).toEqual([true, false, false]);
    await sim.advance(50);
    expect(item.calls.map(({ asked }) => asked)).toEqual([1, 2, 1]);
    expect(list.calls).toHaveLength(1);
  });
});

describe('§3 a failed level', () => {
  it('sets meta.error, and meta.failedLevels and meta.levelErrors of that level only', async () => {
    const { dl, item, full } = setup();
    const ref = dl.fetchItem('ticket', 1);
    dl.fetchItem('ticket', 1, 'full');
    await item.last().answer({ id: 1 });
    await full.last().fail(new Error('too big'));
    expect(ref.meta.error).toBe('too big');
    expect(ref.meta.failedLevels).toEqual({ full: true });
    expect(ref.meta.levelErrors['full']).toBe('too big');
    expect(ref.meta.levelErrors['default'] ?? null).toBeNull();
    expect(ref.data).toEqual({ id: 1 });
  });

  it('does not stop another level from being read', async () => {
    const { dl, item, full } = setup();
    dl.fetchItem('ticket', 1, 'full');
    await full.last().fail(new Error('too big'));
    const ref = dl.fetchItem('ticket', 1);
    expect(item.calls).toHaveLength(1);
    await item.last().answer({ id: 1 });
    expect(ref.data).toEqual({ id: 1 });
    expect(ref.meta.error).toBe('too big');
  });
});

describe('§3 refresh_item with result', () => {
  const result = { id: 1, inline: true };

  it.each<[string, (world: Setup) => Promise<void>]>([
    ['fresh', async ({ item }) => item.last().answer({ id: 1 })],
    [
      'stale',
      async ({ item, sim }) => {
        await item.last().answer({ id: 1 });
        await sim.advance(20_000);
      },
    ],
    ['failed', async ({ item }) => item.last().fail(new Error('down'))],
    ['loading', async () => undefined],
  ])('a %s item becomes fresh without a fetch', async (_, prepare) => {
    const world = setup();
    const { dl, sim, item, iso } = world;
    const ref = dl.fetchItem('ticket', 1);
    await prepare(world);
    void dl.applyDirectives([refreshItem('ticket', 1, { result })]);
    expect(ref.data).toEqual(result);
    expect(ref.meta).toMatchObject({ error: null, isStale: false, lastFetchedAny: iso() });
    await sim.advance(1000);
    expect(item.calls).toHaveLength(1);
    expect(ref.meta.isStale).toBe(false);
  });

  it('resets the staleness timer', async () => {
    const { dl, sim, item } = setup();
    const ref = dl.fetchItem('ticket', 1);
    await item.last().answer({ id: 1 });
    await sim.advance(14_000);
    void dl.applyDirectives([refreshItem('ticket', 1, { result })]);
    await sim.advance(14_999);
    expect(ref.meta.isStale).toBe(false);
    await sim.advance(1);
    expect(ref.meta.isStale).toBe(true);
  });

  it('still refetches the other cached level', async () => {
    const { dl, sim, item, full } = setup();
    const ref = dl.fetchItem('ticket', 1);
    dl.fetchItem('ticket', 1, 'full');
    await item.last().answer({ id: 1 });
    await full.last().answer({ id: 1, body: 'old' });
    void dl.applyDirectives([refreshItem('ticket', 1, { result })]);
    await sim.advance(50);
    expect([item.calls.length, full.calls.length]).toEqual([1, 2]);
    await full.last().answer({ id: 1, body: 'new' });
    expect(ref.data).toMatchObject({ inline: true, body: 'new' });
    expect(ref.meta.isStale).toBe(false);
  });
});

describe('§3 the connection', () => {
  async function connected(sse: InitOptions['sse'] = {}) {
    const world = setup({ sse: { enabled: true, retryJitter: 0, ...sse } });
    await world.rest();
    return world;
  }

  it('reconnects at its next attempt after the network is back', async () => {
    const { dl, sim } = await connected();
    sim.link.cut();
    await sim.advance(0);
    expect(dl.state().sse.connected).toBe(false);
    sim.link.restore();
    await sim.advance(1999);
    expect(dl.state().sse.connected).toBe(false);
    await sim.advance(1);
    expect(dl.state().sse.connected).toBe(true);
  });

  it('applies replayed directives on reconnect', async () => {
    const { dl, sim, item } = await connected();
    const ref = dl.fetchItem('ticket', 1);
    dl.onRefChange(ref, () => undefined);
    await item.last().answer({ id: 1 });
    sim.hub.emit([{ op: 'refresh_collection', name: 'other' }]);
    await sim.advance(10);
    sim.link.cut();
    sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
    await sim.advance(10);
    expect(item.calls).toHaveLength(1);
    sim.link.restore();
    await sim.advance(2100);
    expect(item.calls).toHaveLength(2);
  });

  it('reports a gap and resyncs on reconnect if directives cannot be replayed', async () => {
    const { dl, sim, item, of } = await connected();
    const ref = dl.fetchItem('ticket', 1);
    dl.onRefChange(ref, () => undefined);
    await item.last().answer({ id: 1 });
    sim.hub.emit([{ op: 'refresh_collection', name: 'other' }]);
    await sim.advance(10);
    sim.link.cut();
    sim.hub.lose(2);
    sim.link.restore();
    await sim.advance(2000);
    expect(of('sse:gap')).toHaveLength(1);
    await sim.advance(3500);
    expect(of('sse:resync-dispatch')).toHaveLength(1);
    expect(item.calls).toHaveLength(2);
    expect(item.last().ctx.force).toBe(true);
  });
});
