// Specification §2: references, configurations and options.

import { describe, expect, it } from 'vitest';
import type { InitOptions } from '@edict/core';
import { missOne, refreshItem, refreshList } from '../directives.ts';
import { createWorld, untyped } from '../world.ts';

const isoForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** One type `ticket` with the levels `default` and `full`. The test responds to each request. */
function itemWorld(init: InitOptions = {}) {
  const world = createWorld({ init });
  const summary = world.held();
  const full = world.held();
  world.dl.createType('ticket', { fetch: summary.fetch, levels: { full: { fetch: full.fetch } } });
  return { ...world, summary, full };
}

function listWorld(init: InitOptions = {}) {
  const world = createWorld({ init });
  const list = world.held();
  world.dl.createCollection('tickets', { fetch: list.fetch });
  return { ...world, list };
}

describe('§2.4 the item reference', () => {
  it('has all fields of the table before any query', () => {
    const { dl, iso } = itemWorld();
    const ref = dl.getItemRef('ticket', 1);
    expect(ref.data).toBeNull();
    expect(ref.meta).toMatchObject({
      isLoading: false,
      lastFetchedAny: null,
      levelStamps: {},
      failedLevels: {},
      levelErrors: {},
      error: null,
      activeQueryId: null,
      lastUsedAt: iso(),
      isStale: expect.any(Boolean),
    });
    expect(ref.meta.cause ?? null).toBeNull();
  });

  it('isLoading is true while fetching and false before and after', async () => {
    const { dl, summary } = itemWorld();
    expect(dl.getItemRef('ticket', 1).meta.isLoading).toBe(false);
    const ref = dl.fetchItem('ticket', 1);
    expect(ref.meta.isLoading).toBe(true);
    await summary.last().answer({ id: 1 });
    expect(ref.meta.isLoading).toBe(false);
  });

  it('shows data and the ISO time of its arrival per level', async () => {
    const { dl, sim, summary, full } = itemWorld();
    const ref = dl.fetchItem('ticket', 1);
    await sim.advance(120);
    await summary.last().answer({ id: 1, title: 'a' });
    const first = new Date(sim.now()).toISOString();
    expect(first).toMatch(isoForm);
    expect(ref.data).toEqual({ id: 1, title: 'a' });
    expect(ref.meta.lastFetchedAny).toBe(first);
    expect(ref.meta.levelStamps['default']).toBe(first);
    expect(ref.meta.levelStamps['full'] ?? null).toBeNull();
    dl.fetchItem('ticket', 1, 'full');
    await sim.advance(30);
    await full.last().answer({ id: 1, body: 'b' });
    const second = new Date(sim.now()).toISOString();
    expect(ref.meta.levelStamps).toMatchObject({ default: first, full: second });
    expect(ref.meta.lastFetchedAny).toBe(second);
  });

  it.each([
    ['an object', { id: 1 }],
    ['an array', [1, 2]],
    ['a string', 'text'],
    ['a number', 0],
    ['false', false],
    ['null', null],
  ])('data may be any value or null: %s', async (_, payload) => {
    const { dl, summary } = itemWorld();
    const ref = dl.fetchItem('ticket', 1);
    await summary.last().answer(payload);
    expect(ref.data).toEqual(payload);
    expect(ref.meta).toMatchObject({ error: null, isLoading: false });
    expect(ref.meta.levelStamps['default']).toMatch(isoForm);
  });

  it('a failure sets the error of the level and the error of the item', async () => {
    const { dl, summary } = itemWorld();
    const ref = dl.fetchItem('ticket', 1);
    await summary.last().fail(new Error('no such ticket'));
    expect(ref.data).toBeNull();
    expect(ref.meta).toMatchObject({
      error: 'no such ticket',
      failedLevels: { default: true },
      levelErrors: { default: 'no such ticket' },
      lastFetchedAny: null,
    });
    expect(ref.meta.levelStamps['default'] ?? null).toBeNull();
    expect(ref.meta.failedLevels['full'] ?? false).toBe(false);
    expect(ref.meta.levelErrors['full'] ?? null).toBeNull();
  });

  it('activeQueryId is unique per query and equals the qid of the events', async () => {
    const { dl, summary, full, of } = itemWorld();
    const ref = dl.fetchItem('ticket', 1);
    const first = ref.meta.activeQueryId;
    expect(first).toEqual(expect.any(String));
    expect(of('item:fetch:intent').at(-1)?.qid).toBe(first);
    await summary.last().answer({ id: 1 });
    dl.fetchItem('ticket', 1, 'full');
    const second = ref.meta.activeQueryId;
    expect(of('item:fetch:intent').at(-1)?.qid).toBe(second);
    expect(second).not.toBe(first);
    await full.last().answer({ id: 1 });
    expect(dl.fetchItem('ticket', 2).meta.activeQueryId).not.toBe(second);
    expect(new Set(of('item:fetch:intent').map(({ qid }) => qid)).size).toBe(3);
  });

  it('lastUsedAt is the time of the last read', async () => {
    const { dl, sim, summary, iso } = itemWorld();
    const ref = dl.fetchItem('ticket', 1);
    const start = iso();
    expect(ref.meta.lastUsedAt).toBe(start);
    await sim.advance(1000);
    await summary.last().answer({ id: 1 });
    expect(ref.meta.lastUsedAt).toBe(start);
    dl.fetchItem('ticket', 1);
    expect(ref.meta.lastUsedAt).toBe(iso());
  });

  it('reads of any level return the same reference, with and without a fetch', async () => {
    const { dl, summary, full } = itemWorld();
    const ref = dl.getItemRef('ticket', 1);
    expect(dl.fetchItem('ticket', 1)).toBe(ref);
    await summary.last().answer({ id: 1 });
    expect(dl.fetchItem('ticket', 1, 'full')).toBe(ref);
    await full.last().fail(new Error('x'));
    expect(dl.fetchItem('ticket', 1, null, { force: true })).toBe(ref);
    expect(dl.getItemRef('ticket', 1)).toBe(ref);
    expect(dl.getItemRef('ticket', 2)).not.toBe(ref);
  });

  it('is reactive: a subscriber is notified of loading and data and reads them from the reference', async () => {
    const { dl, summary } = itemWorld();
    const ref = dl.getItemRef('ticket', 1);
    const seen: unknown[] = [];
    const stop = dl.onRefChange(ref, () => seen.push([ref.meta.isLoading, ref.data]));
    dl.fetchItem('ticket', 1);
    await summary.last().answer({ id: 1 });
    expect(seen).toEqual([
      [true, null],
      [false, { id: 1 }],
    ]);
    stop();
    dl.fetchItem('ticket', 1, null, { force: true });
    await summary.last().answer({ id: 1, more: true });
    expect(seen).toHaveLength(2);
  });

  it('data and meta are replaced and never mutated', async () => {
    const { dl, summary } = itemWorld();
    const ref = dl.fetchItem('ticket', 1);
    const before = ref.meta;
    await summary.last().answer({ id: 1, v: 1 });
    expect(before.isLoading).toBe(true);
    expect(ref.meta).not.toBe(before);
    const data = ref.data;
    dl.fetchItem('ticket', 1, null, { force: true });
    await summary.last().answer({ id: 1, v: 2 });
    expect(data).toEqual({ id: 1, v: 1 });
    expect(ref.data).toEqual({ id: 1, v: 2 });
  });

  it('meta keeps its identity on a cache hit and as time passes', async () => {
    const { dl, sim, summary } = itemWorld();
    const ref = dl.fetchItem('ticket', 1);
    await summary.last().answer({ id: 1 });
    const { meta } = ref;
    let calls = 0;
    dl.onRefChange(ref, () => (calls += 1));
    dl.fetchItem('ticket', 1);
    await sim.advance(20_000);
    expect(ref.meta).toBe(meta);
    expect(calls).toBe(0);
  });
});

describe('§2.5 the collection reference', () => {
  it('has all fields of the table before any query', () => {
    const { dl, iso } = listWorld();
    const ref = dl.getCollectionRef('tickets');
    expect(ref.data).toEqual({ ids: [], count: 0 });
    expect(ref.meta).toMatchObject({
      isLoading: false,
      lastFetched: null,
      error: null,
      activeQueryId: null,
      paramsSnapshot: undefined,
      paramsKey: '{}',
      lastUsedAt: iso(),
      isStale: expect.any(Boolean),
    });
  });

  it('shows ids and the total count', async () => {
    const { dl, sim, list, iso } = listWorld();
    const ref = dl.fetchCollection('tickets', { params: { page: 1 } });
    expect(ref.meta.isLoading).toBe(true);
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
    const { dl, list, iso } = listWorld();
    const ref = dl.fetchCollection('tickets');
    await list.last().answer({ ids: [] });
    expect(ref.data).toEqual({ ids: [], count: 0 });
    expect(ref.meta.lastFetched).toBe(iso());
  });

  it('contains ids and count only and drops other fields of a response', async () => {
    const { dl, list } = listWorld();
    const ref = dl.fetchCollection('tickets');
    await list.last().answer({ ids: [1], count: 1, items: [{ id: 1, title: 'a' }] });
    expect(Object.keys(ref.data).sort()).toEqual(['count', 'ids']);
  });

  it('does not accept objects in ids', async () => {
    const { dl, list } = listWorld();
    const ref = dl.fetchCollection('tickets');
    await list.last().answer({ ids: [{ id: 1 }] });
    expect(ref.data.ids).toEqual([]);
    expect(ref.meta.error).toEqual(expect.any(String));
  });

  it.each<[string, unknown, string]>([
    ['an error', new Error('down'), 'down'],
    ['a string', 'plain words', 'plain words'],
    ['a number', 503, '503'],
  ])('error is the string form of the last error: %s', async (_, error, text) => {
    const { dl, list } = listWorld();
    const ref = dl.fetchCollection('tickets');
    await list.last().fail(error);
    expect(ref.meta).toMatchObject({ error: text, isLoading: false, lastFetched: null });
  });

  it('keeps its data when a later fetch fails and clears the error when one succeeds', async () => {
    const { dl, list, iso } = listWorld();
    const ref = dl.fetchCollection('tickets');
    await list.last().answer({ ids: [1] });
    const at = iso();
    dl.fetchCollection('tickets', { force: true });
    await list.last().fail(new Error('first'));
    dl.fetchCollection('tickets', { force: true });
    await list.last().fail(new Error('second'));
    expect(ref.data.ids).toEqual([1]);
    expect(ref.meta).toMatchObject({ error: 'second', lastFetched: at });
    dl.fetchCollection('tickets', { force: true });
    await list.last().answer({ ids: [2] });
    expect(ref.data.ids).toEqual([2]);
    expect(ref.meta.error).toBeNull();
  });

  it('activeQueryId is unique per query and equals the qid of the events', async () => {
    const { dl, list, of } = listWorld();
    const ref = dl.fetchCollection('tickets');
    const first = ref.meta.activeQueryId;
    expect(of('collection:fetch:intent').at(-1)?.qid).toBe(first);
    await list.last().answer({ ids: [] });
    dl.fetchCollection('tickets', { force: true });
    expect(of('collection:fetch:intent').at(-1)?.qid).toBe(ref.meta.activeQueryId);
    expect(ref.meta.activeQueryId).not.toBe(first);
  });

  it('lastUsedAt is the time of the last read', async () => {
    const { dl, sim, iso } = listWorld();
    const ref = dl.fetchCollection('tickets');
    await sim.advance(700);
    dl.fetchCollection('tickets');
    expect(ref.meta.lastUsedAt).toBe(iso());
  });

  it('each params set has its own entry, and equal params return the same reference', async () => {
    const { dl, list } = listWorld();
    const one = dl.fetchCollection('tickets', { params: { page: 1 } });
    const two = dl.fetchCollection('tickets', { params: { page: 2 } });
    const none = dl.fetchCollection('tickets');
    expect(new Set([one, two, none]).size).toBe(3);
    expect(dl.getCollectionRef('tickets', { params: { page: 1 } })).toBe(one);
    await list.at(0).answer({ ids: [1] });
    await list.at(1).answer({ ids: [2] });
    await list.at(2).answer({ ids: [1, 2] });
    expect([one.data.ids, two.data.ids, none.data.ids]).toEqual([[1], [2], [1, 2]]);
  });

  it('is reactive: a subscriber is notified of its own params set only', async () => {
    const { dl, list } = listWorld();
    const one = dl.getCollectionRef('tickets', { params: { page: 1 } });
    const seen: unknown[] = [];
    dl.onRefChange(one, () => seen.push([one.meta.isLoading, one.data.ids]));
    dl.fetchCollection('tickets', { params: { page: 2 } });
    await list.last().answer({ ids: [2] });
    expect(seen).toEqual([]);
    dl.fetchCollection('tickets', { params: { page: 1 } });
    await list.last().answer({ ids: [1] });
    expect(seen).toEqual([
      [true, []],
      [false, [1]],
    ]);
  });
});

describe('§2.6 the configuration of a type', () => {
  it('fetch receives the id', async () => {
    const { dl, summary } = itemWorld();
    dl.fetchItem('ticket', 'abc');
    expect(summary.last().asked).toBe('abc');
    dl.fetchItem('ticket', 0);
    expect(summary.last().asked).toBe(0);
  });

  it('fetch may return or throw synchronously', async () => {
    const { dl, rest } = createWorld();
    dl.createType('now', { fetch: (id) => ({ id }) });
    dl.createType('never', {
      fetch: () => {
        throw new Error('thrown');
      },
    });
    const good = dl.fetchItem('now', 1);
    const bad = dl.fetchItem('never', 1);
    await rest();
    expect(good.data).toEqual({ id: 1 });
    expect(bad.meta.error).toBe('thrown');
  });

  it('bulkFetch receives the ids and the level', async () => {
    const { dl, held, rest } = createWorld();
    const { fetch } = held();
    const many = held();
    dl.createType('ticket', { fetch, bulkFetch: many.bulkFetch, levels: { full: { fetch } } });
    dl.fetchItem('ticket', 1);
    dl.fetchItem('ticket', 2);
    dl.fetchItem('ticket', 3, 'full');
    dl.fetchItem('ticket', 4, 'full');
    await rest();
    expect(many.calls.map(({ args }) => args.slice(0, 2))).toEqual([
      [[1, 2], 'default'],
      [[3, 4], 'full'],
    ]);
  });

  it('stalenessMs of a level overrides stalenessMs of the type', async () => {
    const { dl, sim, rest } = createWorld();
    const calls: string[] = [];
    const fetch = (_: unknown, { level }: { level: string }): object => (calls.push(level), {});
    dl.createType('ticket', {
      fetch,
      stalenessMs: 1000,
      levels: { short: { fetch, stalenessMs: 100 }, plain: { fetch } },
    });
    const read = async (): Promise<string[]> => {
      calls.length = 0;
      for (const level of [null, 'short', 'plain']) dl.fetchItem('ticket', 1, level);
      await rest();
      return [...calls];
    };
    expect(await read()).toEqual(['default', 'short', 'plain']);
    await sim.advance(99);
    expect(await read()).toEqual([]);
    await sim.advance(1);
    expect(await read()).toEqual(['short']);
    await sim.advance(900);
    expect(await read()).toEqual(['default', 'short', 'plain']);
  });

  it('each level has its own fetch, and its bulkFetch overrides that of the type', async () => {
    const { dl, held, rest } = createWorld();
    const one = held();
    const full = held();
    const many = held();
    const manyFull = held();
    dl.createType('ticket', {
      fetch: one.fetch,
      bulkFetch: many.bulkFetch,
      levels: { full: { fetch: full.fetch, bulkFetch: manyFull.bulkFetch }, brief: { fetch: full.fetch } },
    });
    for (const id of [1, 2]) {
      dl.fetchItem('ticket', id);
      dl.fetchItem('ticket', id, 'full');
      dl.fetchItem('ticket', id, 'brief');
    }
    dl.fetchItem('ticket', 3, 'full');
    await rest();
    expect(many.calls.map(({ args }) => args.slice(0, 2))).toEqual([
      [[1, 2], 'default'],
      [[1, 2], 'brief'],
    ]);
    expect(manyFull.calls.map(({ args }) => args.slice(0, 2))).toEqual([[[1, 2, 3], 'full']]);
    dl.fetchItem('ticket', 9, 'full');
    await rest();
    expect(full.calls.map(({ asked }) => asked)).toEqual([9]);
  });

  it('a conversion A: [B, C] makes separate fetches of B and C unnecessary', async () => {
    const { dl, held } = createWorld();
    const a = held();
    const other = held();
    dl.createType('ticket', {
      fetch: other.fetch,
      levelConversionMap: { a: ['b', 'c'] },
      levels: { a: { fetch: a.fetch }, b: { fetch: other.fetch }, c: { fetch: other.fetch } },
    });
    dl.fetchItem('ticket', 1, 'a');
    await a.last().answer({ id: 1 });
    dl.fetchItem('ticket', 1, 'b');
    dl.fetchItem('ticket', 1, 'c');
    expect(other.calls).toHaveLength(0);
    dl.fetchItem('ticket', 1);
    expect(other.calls).toHaveLength(1);
  });

  it('checkIfExists decides whether a payload has what the level needs', async () => {
    const { dl, held } = createWorld();
    const a = held();
    const b = held();
    dl.createType('ticket', {
      fetch: a.fetch,
      levelConversionMap: { default: ['b'] },
      levels: { b: { fetch: b.fetch, checkIfExists: (data) => (data as { b?: unknown }).b !== undefined } },
    });
    dl.fetchItem('ticket', 1);
    await a.last().answer({ id: 1, b: true });
    dl.fetchItem('ticket', 2);
    await a.last().answer({ id: 2 });
    dl.fetchItem('ticket', 1, 'b');
    dl.fetchItem('ticket', 2, 'b');
    expect(b.calls.map(({ asked }) => asked)).toEqual([2]);
  });

  it('default is the level when none is given and may be configured in levels', async () => {
    const { dl, held, of } = createWorld();
    const own = held();
    const unused = held();
    dl.createType('ticket', {
      fetch: unused.fetch,
      stalenessMs: 1000,
      levels: { default: { fetch: own.fetch, stalenessMs: 50 } },
    });
    dl.fetchItem('ticket', 1);
    expect([own.calls.length, unused.calls.length]).toEqual([1, 0]);
    expect(of('item:fetch:intent')[0]?.level).toBe('default');
  });

  it('default may have options only and then uses the fetch of the type', async () => {
    const { dl, sim, held } = createWorld();
    const own = held();
    dl.createType('ticket', { fetch: own.fetch, levels: { default: untyped({ stalenessMs: 50 }) } });
    const ref = dl.fetchItem('ticket', 1);
    await own.last().answer({});
    await sim.advance(50);
    expect(ref.meta.isStale).toBe(true);
  });
});

describe('§2.7 the configuration of a collection', () => {
  it('fetch receives the params or undefined', () => {
    const { dl, list } = listWorld();
    dl.fetchCollection('tickets', { params: { page: 2 } });
    dl.fetchCollection('tickets');
    expect(list.calls.map(({ asked }) => asked)).toEqual([{ page: 2 }, undefined]);
  });

  it('count is optional', async () => {
    const { dl, list } = listWorld();
    const ref = dl.fetchCollection('tickets');
    await list.last().answer({ ids: [4, 5] });
    expect(ref.data.count).toBe(2);
  });

  it('stalenessMs is 15000 by default and can be set', async () => {
    const { dl, sim, list } = listWorld();
    dl.createCollection('brief', { fetch: list.fetch, stalenessMs: 20 });
    expect(dl.state().collections['tickets']?.stalenessMs).toBe(15_000);
    expect(dl.state().collections['brief']?.stalenessMs).toBe(20);
    const plain = dl.fetchCollection('tickets');
    const brief = dl.fetchCollection('brief');
    await list.at(0).answer({ ids: [] });
    await list.at(1).answer({ ids: [] });
    await sim.advance(19);
    expect(brief.meta.isStale).toBe(false);
    await sim.advance(1);
    expect(brief.meta.isStale).toBe(true);
    await sim.advance(14_979);
    expect(plain.meta.isStale).toBe(false);
    await sim.advance(1);
    expect(plain.meta.isStale).toBe(true);
  });
});

describe('§2.8 options of the stream', () => {
  async function streamed(sse: InitOptions['sse'] = {}) {
    const world = createWorld({ init: { sse: { enabled: true, ...sse } } });
    await world.rest();
    const streams = () => world.sim.requests.filter(({ isStream }) => isStream);
    return { ...world, streams };
  }

  it('by default the stream is enabled and connects on init to /api/events, with the global audience and without cookies', async () => {
    const { dl, sim, streams } = await streamed();
    expect(streams()).toHaveLength(1);
    const { url, method, credentials } = streams()[0]!;
    expect(method).toBe('GET');
    expect(url.pathname).toBe('/api/events');
    expect(url.searchParams.get('client_id')).toBe(dl.clientId());
    expect(url.searchParams.getAll('audience')).toEqual(['global']);
    expect(credentials).toBe('omit');
    expect(dl.state().sse).toMatchObject({ enabled: true, connected: true, audience: 'global' });
    expect(sim.hub.connections()).toHaveLength(1);
  });

  it('init without any option uses the defaults', async () => {
    const { dl, rest, sim } = createWorld({ init: null });
    dl.init();
    await rest();
    expect(sim.hub.connections()).toHaveLength(1);
  });

  it('url is the path of the stream', async () => {
    const { streams, sim } = await streamed({ url: '/elsewhere' });
    expect(streams()).toHaveLength(0);
    expect(sim.requests[0]?.url.pathname).toBe('/elsewhere');
  });

  it('audience is the audience of the subscription', async () => {
    const { streams, sim } = await streamed({ audience: 'team-7' });
    expect(streams()[0]?.url.searchParams.getAll('audience')).toEqual(['team-7']);
    expect(sim.hub.connections()[0]?.audiences).toEqual(['team-7']);
  });

  it('clientIdParam and audienceParam set the names of the query parameters', async () => {
    const { dl, streams } = await streamed({ clientIdParam: 'who', audienceParam: 'room' });
    const query = streams()[0]!.url.searchParams;
    expect(query.get('who')).toBe(dl.clientId());
    expect(query.get('room')).toBe('global');
    expect(query.has('client_id')).toBe(false);
    expect(query.has('audience')).toBe(false);
  });

  it('initialRetryMs, backoffMultiplier and maxRetryMs set the retry delays', async () => {
    const { sim, of } = await streamed({
      ...{ initialRetryMs: 100, backoffMultiplier: 3, maxRetryMs: 1000, retryJitter: 0 },
    });
    sim.link.cut();
    await sim.advance(5000);
    expect(
      of('sse:error')
        .map(({ retryInMs }) => retryInMs)
        .slice(0, 5),
    ).toEqual([100, 300, 900, 1000, 1000]);
  });

  it('resyncOnGap is true by default, with a delay between resyncJitterMinMs 1500 and resyncJitterMaxMs 3500', async () => {
    const waits: number[] = [];
    for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const { dl, sim, of } = createWorld({ seed });
      dl.ingestEnvelope({ type: 'directives', audience: 'global', seq: 42, directives: [] });
      dl.ingestEnvelope({ type: 'directives', audience: 'global', seq: 44, directives: [refreshList('x')] });
      const scheduled = of('sse:resync-scheduled');
      expect(scheduled).toHaveLength(1);
      waits.push(scheduled[0]!.waitMs);
      const start = sim.now();
      await sim.advance(3500);
      expect(of('sse:resync-dispatch')).toHaveLength(1);
      expect(start + waits.at(-1)!).toBeLessThanOrEqual(sim.now());
    }
    for (const wait of waits) {
      expect(wait).toBeGreaterThanOrEqual(1500);
      expect(wait).toBeLessThanOrEqual(3500);
    }
    expect(new Set(waits).size).toBeGreaterThan(1);
  });

  it('resyncJitterMinMs and resyncJitterMaxMs set the range', async () => {
    const { dl, sim, of } = createWorld({
      init: { sse: { resyncJitterMinMs: 70, resyncJitterMaxMs: 70 } },
    });
    missOne(dl);
    expect(of('sse:resync-scheduled')[0]?.waitMs).toBe(70);
    await sim.advance(69);
    expect(of('sse:resync-dispatch')).toHaveLength(0);
    await sim.advance(1);
    expect(of('sse:resync-dispatch')).toHaveLength(1);
  });
});

describe('§2.8 bulk.delayMs', () => {
  function itemsHeld(init: InitOptions = {}) {
    const world = createWorld({ init });
    const calls: unknown[] = [];
    world.dl.createType('ticket', {
      fetch: (id) => ({ id }),
      bulkFetch: (ids) => (calls.push(ids), ids.map((id) => ({ id }))),
    });
    return { ...world, calls };
  }

  it('is 50 by default: directives within the window become one batch', async () => {
    const { dl, sim, rest, calls } = itemsHeld();
    expect(dl.state().bulk.delayMs).toBe(50);
    for (const id of [1, 2, 3]) dl.fetchItem('ticket', id);
    await rest();
    calls.length = 0;
    void dl.applyDirectives([refreshItem('ticket', 1)]);
    await sim.advance(49);
    void dl.applyDirectives([refreshItem('ticket', 2)]);
    expect(calls).toEqual([]);
    await sim.advance(1);
    expect(calls).toEqual([[1, 2]]);
  });

  it('sets the window', async () => {
    const { dl, sim, rest, calls } = itemsHeld({ bulk: { delayMs: 200 } });
    for (const id of [1, 2]) dl.fetchItem('ticket', id);
    await rest();
    calls.length = 0;
    void dl.applyDirectives([refreshItem('ticket', 1), refreshItem('ticket', 2)]);
    await sim.advance(199);
    expect(calls).toEqual([]);
    await sim.advance(1);
    expect(calls).toEqual([[1, 2]]);
  });

  it('rejects unknown options', () => {
    const { dl } = createWorld();
    expect(() => dl.init({ bulk: untyped({ delay: 5 }) })).toThrow(TypeError);
  });
});
