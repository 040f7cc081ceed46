// The reference of an entry: its fields, its identity, and when it notifies its subscribers.

import { describe, expect, it } from 'vitest';
import { kinds, setup } from '../fetching/kinds.ts';

describe.each(kinds)('§2.4 §2.5 a reference ($kind)', ({ calls, read, look, good, shown, empty }) => {
  it('is loading while a request is in flight, and notifies its subscribers of loading and data', async () => {
    const world = setup();
    const ref = look(world);
    expect(ref.meta.isLoading).toBe(false);
    const seen: unknown[] = [];
    const stop = world.dl.onRefChange(ref, () => seen.push([ref.meta.isLoading, ref.data]));
    expect(read(world)).toBe(ref);
    expect(ref.meta.isLoading).toBe(true);
    await calls(world).last().answer(good(1));
    expect(ref.meta.isLoading).toBe(false);
    expect(seen).toEqual([
      [true, empty],
      [false, shown(1)],
    ]);
    stop();
    read(world, { force: true });
    await calls(world).last().answer(good(2));
    expect(seen).toHaveLength(2);
  });

  it('is the same object after each read, response, and failure', async () => {
    const world = setup();
    const ref = look(world);
    expect(read(world)).toBe(ref);
    await calls(world).last().answer(good(1));
    expect(read(world, { force: true })).toBe(ref);
    await calls(world).last().fail(new Error('down'));
    expect(read(world, { force: true })).toBe(ref);
    expect(look(world)).toBe(ref);
  });

  it('has the time of the last read in lastUsedAt', async () => {
    const world = setup();
    const ref = read(world);
    const start = world.iso();
    expect(ref.meta.lastUsedAt).toBe(start);
    await world.sim.advance(1000);
    await calls(world).last().answer(good(1));
    expect(ref.meta.lastUsedAt).toBe(start);
    read(world);
    expect(ref.meta.lastUsedAt).toBe(world.iso());
  });

  it('replaces data and meta, and never mutates them', async () => {
    const world = setup();
    const ref = read(world);
    const before = ref.meta;
    await calls(world).last().answer(good(1));
    expect(before.isLoading).toBe(true);
    expect(ref.meta).not.toBe(before);
    const { data } = ref;
    read(world, { force: true });
    await calls(world).last().answer(good(2));
    expect(data).toEqual(shown(1));
    expect(ref.data).toEqual(shown(2));
  });

  it('is compared, spread and serialized as its data and meta', async () => {
    const world = setup();
    const ref = read(world);
    await calls(world).last().answer(good(1));
    const { data, meta } = ref;
    expect(ref).toEqual({ data: shown(1), meta });
    expect(ref).not.toEqual({ data: shown(2), meta });
    expect({ ...ref }).toEqual({ data, meta });
    expect(JSON.parse(JSON.stringify(ref))).toMatchObject({ data: shown(1), meta: { isLoading: false } });
  });

  it('keeps the identity of meta on a cache hit and as time passes', async () => {
    const world = setup();
    const ref = read(world);
    await calls(world).last().answer(good(1));
    const { meta } = ref;
    let changes = 0;
    world.dl.onRefChange(ref, () => (changes += 1));
    read(world);
    await world.sim.advance(20_000);
    expect(ref.meta).toBe(meta);
    expect(changes).toBe(0);
  });
});

it('§2.4 §2.5 activeQueryId is unique per query and equals the qid of the events', async () => {
  const { dl, item, full, list, of } = setup();
  const ticket = dl.fetchItem('ticket', 1);
  const tickets = dl.fetchCollection('tickets');
  const items = [ticket.meta.activeQueryId];
  const lists = [tickets.meta.activeQueryId];
  await item.last().answer({ id: 1 });
  await list.last().answer({ ids: [] });
  dl.fetchItem('ticket', 1, 'full');
  dl.fetchCollection('tickets', { force: true });
  items.push(ticket.meta.activeQueryId);
  lists.push(tickets.meta.activeQueryId);
  await full.last().answer({ id: 1 });
  items.push(dl.fetchItem('ticket', 2).meta.activeQueryId);
  expect(of('item:fetch:intent').map(({ qid }) => qid)).toEqual(items);
  expect(of('collection:fetch:intent').map(({ qid }) => qid)).toEqual(lists);
  expect(new Set([...items, ...lists]).size).toBe(5);
  expect(items[0]).toEqual(expect.any(String));
});

describe('§2.4 the reference of an item', () => {
  it('has all fields of the table before any query', () => {
    const { dl, iso } = setup();
    const ref = dl.getItemRef('ticket', 1);
    expect(ref.data).toBeNull();
    expect(ref.meta).toMatchObject({
      isLoading: false,
      lastFetchedAny: null,
      levelStamps: {},
      failedLevels: {},
      levelErrors: {},
      error: null,
      cause: null,
      activeQueryId: null,
      lastUsedAt: iso(),
      isStale: expect.any(Boolean),
    });
  });

  it('D-LEVEL-1 has the data of each level and the ISO time of its arrival', async () => {
    const { dl, sim, item, full, iso } = setup();
    const ref = dl.fetchItem('ticket', 1);
    await sim.advance(120);
    await item.last().answer({ id: 1, title: 'a' });
    const first = iso();
    expect(first).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(ref.data).toEqual({ id: 1, title: 'a' });
    expect(ref.meta).toMatchObject({ lastFetchedAny: first, levelStamps: { default: first } });
    expect(ref.meta.levelStamps['full'] ?? null).toBeNull();
    dl.fetchItem('ticket', 1, 'full');
    await sim.advance(30);
    await full.last().answer({ id: 1, body: 'b' });
    expect(ref.data).toEqual({ id: 1, title: 'a', body: 'b' });
    expect(ref.meta.levelStamps).toMatchObject({ default: first, full: iso() });
    expect(ref.meta.lastFetchedAny).toBe(iso());
  });

  it('has no time of a level that failed', async () => {
    const { dl, item } = setup();
    const ref = dl.fetchItem('ticket', 1);
    await item.last().fail(new Error('no such ticket'));
    expect(ref.data).toBeNull();
    expect(ref.meta.lastFetchedAny).toBeNull();
    expect(ref.meta.levelStamps['default'] ?? null).toBeNull();
  });

  it('is one object for all levels, and another one for another item', () => {
    const { dl } = setup();
    const ref = dl.getItemRef('ticket', 1);
    expect(dl.fetchItem('ticket', 1, 'full')).toBe(ref);
    expect(dl.getItemRef('ticket', 2)).not.toBe(ref);
  });
});

describe('§2.5 the reference of a collection', () => {
  it('has all fields of the table before any query', () => {
    const { dl, iso } = setup();
    const ref = dl.getCollectionRef('tickets');
    expect(ref.data).toEqual({ ids: [], count: 0 });
    expect(ref.meta).toMatchObject({
      isLoading: false,
      lastFetched: null,
      error: null,
      cause: null,
      activeQueryId: null,
      paramsSnapshot: undefined,
      paramsKey: '{}',
      lastUsedAt: iso(),
      isStale: expect.any(Boolean),
    });
  });

  it('has the ids, the total count, the time of their arrival, and the params', async () => {
    const { dl, sim, list, iso } = setup();
    const ref = dl.fetchCollection('tickets', { params: { page: 1 } });
    await sim.advance(40);
    await list.last().answer({ ids: [3, 'b'], count: 250 });
    expect(ref.data).toEqual({ ids: [3, 'b'], count: 250 });
    expect(ref.meta).toMatchObject({
      isLoading: false,
      lastFetched: iso(),
      error: null,
      paramsSnapshot: { page: 1 },
      paramsKey: '{"page":1}',
    });
  });

  it('shows an empty response as fetched', async () => {
    const { dl, list, iso } = setup();
    const ref = dl.fetchCollection('tickets');
    await list.last().answer({ ids: [] });
    expect(ref.data).toEqual({ ids: [], count: 0 });
    expect(ref.meta.lastFetched).toBe(iso());
  });

  it('has the time of the last response, not of a failure', async () => {
    const { dl, sim, list, iso } = setup();
    const ref = dl.fetchCollection('tickets');
    await list.last().fail(new Error('down'));
    expect(ref.meta.lastFetched).toBeNull();
    dl.fetchCollection('tickets', { force: true });
    await list.last().answer({ ids: [1] });
    const at = iso();
    await sim.advance(100);
    dl.fetchCollection('tickets', { force: true });
    await list.last().fail(new Error('down again'));
    expect(ref.meta.lastFetched).toBe(at);
  });

  it('is another object for each params set, with data and subscribers of its own', async () => {
    const { dl, list } = setup();
    const one = dl.fetchCollection('tickets', { params: { page: 1 } });
    const two = dl.fetchCollection('tickets', { params: { page: 2 } });
    const none = dl.fetchCollection('tickets');
    expect(new Set([one, two, none]).size).toBe(3);
    expect(dl.getCollectionRef('tickets', { params: { page: 1 } })).toBe(one);
    const seen: unknown[] = [];
    dl.onRefChange(one, () => seen.push([one.meta.isLoading, one.data.ids]));
    await list.at(1).answer({ ids: [2] });
    await list.at(2).answer({ ids: [1, 2] });
    expect(seen).toEqual([]);
    await list.at(0).answer({ ids: [1] });
    expect(seen).toEqual([[false, [1]]]);
    expect([one.data.ids, two.data.ids, none.data.ids]).toEqual([[1], [2], [1, 2]]);
  });
});
