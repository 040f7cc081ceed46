// `state()` and `devtools()`: snapshots of a data layer.

import { describe, expect, it, onTestFinished } from 'vitest';
import { createDataLayer } from '@edict/core';
import { refreshItem, refreshList } from '../directives.ts';
import { createStage } from '../world.ts';

describe('§2.9 state()', () => {
  it('has types, collections, sse, bulk and memory', async () => {
    const { dl, hold, item, list } = createStage({
      init: { sse: { connectOnInit: false }, bulk: { maxBatchSize: 7 } },
    });
    await hold(
      () => item('note', 1),
      () => item('doc', 1, 'full'),
      () => list('tickets'),
      () => list('tickets', { page: 1 }),
    );
    void dl.applyDirectives([refreshItem('note', 1), refreshList('tickets')]);
    const state = dl.state();
    expect(Object.keys(state).toSorted()).toEqual(['bulk', 'collections', 'memory', 'sse', 'types']);
    expect(state.types['note']).toEqual({
      stalenessMs: 15_000,
      levels: ['default'],
      itemCount: 1,
      hasBulkFetch: true,
    });
    expect(state.types['doc']).toMatchObject({ itemCount: 1, hasBulkFetch: false });
    expect(state.types['doc']?.levels.toSorted()).toEqual(['default', 'expanded', 'full', 'simplified']);
    expect(state.collections).toEqual({
      tickets: { stalenessMs: 15_000, refCount: 2 },
      notes: { stalenessMs: 15_000, refCount: 0 },
    });
    expect(state.bulk).toEqual({ delayMs: 50, maxBatchSize: 7, pending: 3 });
    expect(state.memory).toEqual({
      enabled: true,
      maxItemsPerType: 512,
      itemEntryTtlMs: 900_000,
      maxCollectionRefsPerCollection: 12,
      collectionEntryTtlMs: 600_000,
      pruneIntervalMs: 60_000,
      items: 2,
      collections: 2,
    });
    expect(state.sse).toEqual({
      enabled: true,
      connected: false,
      status: 'off',
      audience: 'global',
      url: expect.any(String),
      attempt: expect.any(Number),
      retryInMs: null,
      lastSeq: {},
      role: null,
    });
    dl.dispose();
  });

  it('is a deep, serializable snapshot that later changes do not affect', async () => {
    const { dl, hold, item, sim } = createStage({ init: { sse: {} } });
    await hold(() => item('ticket', 1));
    const state = dl.state();
    const copy: unknown = JSON.parse(JSON.stringify(state));
    expect(copy).toEqual({ ...state, types: { ...state.types }, collections: { ...state.collections } });
    item('ticket', 2);
    dl.configureMemory({ maxItemsPerType: 3 });
    sim.hub.emit([{ op: 'refresh_collection', name: 'tickets' }]);
    await sim.advance(100);
    expect(JSON.parse(JSON.stringify(state))).toEqual(copy);
    dl.dispose();
  });

  it('returns a copy: changing it does not change the data layer', async () => {
    const { dl, hold, item } = createStage({
      init: { sse: { enabled: false, audience: ['global', 'team'] } },
    });
    await hold(() => item('ticket', 1));
    const state = dl.state();
    state.memory.maxItemsPerType = 1;
    state.types['ticket']?.levels.push('x');
    state.sse.lastSeq['global'] = 5;
    expect(() => (state.sse.audience as string[]).push('user-1')).not.toThrow(); // Its type is read-only.
    expect(dl.state().memory.maxItemsPerType).toBe(512);
    expect(dl.state().types['ticket']?.levels).toEqual(['default']);
    expect(dl.state().sse.lastSeq).toEqual({});
    expect(dl.state().sse.audience).toEqual(['global', 'team']);
  });

  it('copies the options, so later changes to them have no effect', () => {
    const audience = ['global'];
    const { dl } = createStage({ init: { sse: { enabled: false, audience } } });
    audience.push('team');
    expect(dl.state().sse.audience).toEqual(['global']);
  });

  it('contains the status, the retry delay and the last sequence numbers of the stream', async () => {
    const { sim, dl } = createStage({ init: { sse: { retryJitter: 0 } } });
    expect(dl.state().sse).toMatchObject({ connected: false, status: 'connecting' });
    await sim.advance(10);
    expect(dl.state().sse).toMatchObject({ connected: true, status: 'open', retryInMs: null });
    expect(dl.state().sse.lastSeq).toEqual({ global: sim.hub.cursor().seq });
    sim.hub.stop();
    await sim.advance(10);
    expect(dl.state().sse).toMatchObject({ connected: false, status: 'waiting', retryInMs: 2000 });
    dl.dispose();
  });

  it('contains names such as "__proto__" as own properties, as devtools() does', () => {
    const dl = createDataLayer();
    onTestFinished(() => dl.dispose());
    for (const name of ['__proto__', 'constructor']) dl.createType(name, { fetch: () => 1 });
    dl.getItemRef('__proto__', 7);
    dl.configureDirectiveSource({
      type: 'by hand',
      connect: (api) => {
        api.ingestEnvelope({ type: 'directives', audience: 'global', seq: 3, directives: [] });
      },
    });
    dl.init();
    const { types, collections, sse } = dl.state();
    expect(sse.lastSeq).toStrictEqual({ global: 3 });
    expect(collections).toStrictEqual({});
    expect(Object.keys(types)).toEqual(['__proto__', 'constructor']);
    expect(Object.entries(types)[0]?.[1]).toStrictEqual({
      stalenessMs: 15_000,
      levels: ['default'],
      itemCount: 1,
      hasBulkFetch: false,
    });
    expect(Object.keys(dl.devtools().items)).toEqual(['__proto__', 'constructor']);
  });
});

describe('§2.9 devtools()', () => {
  it('adds the client id, items, refs, requests in flight, seen keys and events, and is serializable', async () => {
    const { dl, hold, item, list } = createStage();
    await hold(
      () => item('ticket', 7),
      () => list('tickets', { page: 1 }),
    );
    dl.onRefChange(item('ticket', 7), () => undefined);
    void dl.applyDirectives([
      { op: 'refresh', name: 'notes', key: 'k1' },
      refreshList('notes', { idempotency_key: 'k2' }),
    ]);
    const tools = dl.devtools();
    expect(Object.keys(tools)).toEqual(expect.arrayContaining(Object.keys(dl.state())));
    expect(tools.clientId).toBe(dl.clientId());
    expect(tools.items['ticket']?.['7']).toMatchObject({
      data: { id: 7, default: 1 },
      meta: { isLoading: false },
      watchers: 1,
    });
    expect(tools.refs['tickets']?.['{"page":1}']).toMatchObject({
      data: { ids: [1], count: 1 },
      watchers: 0,
    });
    expect(tools.inFlight).toEqual({ items: [], collections: [], totalCount: 0, hasAnyInFlight: false });
    expect(tools.seenKeys).toEqual(['k1', 'k2']);
    expect(tools.events.map(({ event }) => event)).toContain('collection:fetch:success');
    expect(tools.events.every(({ at }) => Number.isFinite(at))).toBe(true);
    expect(() => JSON.stringify(tools)).not.toThrow();
  });

  it('lists and counts the requests in flight', () => {
    const { dl, item, list } = createStage();
    item('ticket', 7);
    item('doc', 7, 'full');
    list('tickets', { page: 1 });
    const { inFlight } = dl.devtools();
    expect(inFlight.items).toEqual([
      { type: 'ticket', id: 7, level: 'default', qid: expect.any(String) },
      { type: 'doc', id: 7, level: 'full', qid: expect.any(String) },
    ]);
    expect(inFlight.collections).toEqual([{ name: 'tickets', params: { page: 1 }, qid: expect.any(String) }]);
    expect([inFlight.totalCount, inFlight.hasAnyInFlight]).toEqual([3, true]);
  });

  it('reports the same requests in flight as hasAnyInFlightRequests while reads wait for their window', () => {
    const { dl, item } = createStage();
    item('note', 1);
    item('note', 2);
    const { inFlight } = dl.devtools();
    expect(inFlight.hasAnyInFlight).toBe(dl.hasAnyInFlightRequests());
    expect(inFlight.hasAnyInFlight).toBe(inFlight.totalCount > 0);
    expect(inFlight.totalCount).toBe(inFlight.items.length + inFlight.collections.length);
  });

  it('keeps the last 200 events with their details and times', async () => {
    const { sim, dl, list } = createStage();
    for (let page = 0; page < 200; page += 1) list('tickets', { page });
    await sim.advance(1000);
    list('tickets', { page: 200 });
    const { events } = dl.devtools();
    expect(events.slice(-2)).toMatchObject([
      { event: 'collection:fetch:complete', detail: { params: { page: 199 } } },
      { event: 'collection:fetch:intent', detail: { params: { page: 200 }, force: false }, at: sim.now() },
    ]);
    expect(events).toHaveLength(200);
    expect(new Set(events.map((event) => JSON.stringify(event))).size).toBe(200);
  });

  it.each([
    ['no callback is subscribed', false],
    ['a callback is subscribed', true],
  ])('has both events of a cached read when %s, and keeps at most 200 events', async (_, listens) => {
    const { dl, hold, item } = createStage();
    await hold(() => item('ticket', 7));
    if (listens) dl.onLifecycle('item:cache-hit', () => undefined);
    item('ticket', 7);
    const detail = { type: 'ticket', id: 7, level: 'default', reason: 'fresh' };
    expect(dl.devtools().events.slice(-2)).toMatchObject([
      { event: 'item:cache-hit', detail },
      { event: 'item:fetch:skip', detail },
    ]);
    for (let read = 0; read < 150; read += 1) item('ticket', 7);
    const { events } = dl.devtools();
    expect(events).toHaveLength(200);
    expect(events.filter(({ event }) => event === 'item:cache-hit')).toHaveLength(100);
  });
});
