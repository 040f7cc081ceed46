// Document §2.9 and §4.4, api.md and D-NAME: every operation of the data layer, its snapshots, and dispose().

import { dehydrate, hydrate } from '@edict/core/hydration';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDataLayer } from '@edict/core';
import type { DataLayer, Env } from '@edict/core';
import { refreshItem, refreshList } from '../directives.ts';
import { createCachedStage, createStage, untyped } from '../world.ts';

/** An object whose `isDone` becomes true when the promise settles. */
function watched(promise: Promise<unknown>): { isDone: boolean } {
  const state = { isDone: false };
  void promise.then(
    () => (state.isDone = true),
    () => (state.isDone = true),
  );
  return state;
}

describe('D-NAME-3 the default environment', () => {
  it('D-DIR-5 D-DIR-7 sends batches at the end of the task even when fake timers replace queueMicrotask', async () => {
    vi.useFakeTimers({ toFake: ['queueMicrotask', 'setTimeout'] });
    try {
      const dl = createDataLayer();
      const batches: unknown[] = [];
      dl.init({ sse: { enabled: false }, bulk: { delayMs: 0 } });
      dl.createType('ticket', {
        fetch: (id) => ({ id }),
        bulkFetch: (ids) => (batches.push(ids), ids.map((id) => ({ id }))),
      });
      dl.fetchItem('ticket', 1);
      dl.fetchItem('ticket', 2);
      await dl.whenSettled();
      await dl.applyDirectives([refreshItem('ticket', 1), refreshItem('ticket', 2)]);
      expect(batches).toEqual([
        [1, 2],
        [1, 2],
      ]);
      dl.dispose();
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('§4.4 fetchItem and fetchCollection', () => {
  it('return the same reference immediately on every call', async () => {
    const { sim, dl, item, list } = createStage();
    const ref = item('ticket', 7);
    const listRef = list('tickets', { page: 1 });
    expect([ref.data, listRef.data]).toEqual([null, { ids: [], count: 0 }]);
    await sim.advance(100);
    expect(item('ticket', 7)).toBe(ref);
    expect(item('ticket', '7')).toBe(ref);
    expect(dl.getItemRef('ticket', 7)).toBe(ref);
    expect(list('tickets', { page: 1 })).toBe(listRef);
    expect(dl.getCollectionRef('tickets', { params: { page: 1 } })).toBe(listRef);
    expect(list('tickets')).not.toBe(listRef);
  });

  it('fetch fresh data again only with force, which defaults to false', async () => {
    const { sim, dl, item, list, taken } = await createCachedStage();
    item('ticket', 7);
    list('tickets');
    await sim.advance(100);
    expect(taken()).toEqual([]);
    dl.fetchItem('ticket', 7, null, { force: true });
    dl.fetchCollection('tickets', { force: true });
    await sim.advance(100);
    expect(taken().toSorted()).toEqual(['ticket 7', 'tickets {}']);
  });

  it('leave meta.isLoading false with silent, which defaults to false', async () => {
    const { sim, dl } = createStage();
    const silent = dl.fetchItem('ticket', 7, null, { silent: true });
    const silentList = dl.fetchCollection('tickets', { silent: true });
    const loud = dl.fetchItem('ticket', 8);
    expect([silent.meta.isLoading, silentList.meta.isLoading, loud.meta.isLoading]).toEqual([
      false,
      false,
      true,
    ]);
    expect(dl.isItemLoading('ticket', 7)).toBe(true);
    expect(dl.isCollectionLoading('tickets')).toBe(true);
    await sim.advance(100);
    expect(silent.data).not.toBeNull();
  });

  it.each<[string, (dl: DataLayer) => unknown]>([
    ['fetchItem of an unregistered type', (dl) => dl.fetchItem('nothing', 1)],
    ['fetchItem of an unregistered level', (dl) => dl.fetchItem('ticket', 1, 'nothing')],
    ['getItemRef of an unregistered type', (dl) => dl.getItemRef('nothing', 1)],
    ['fetchCollection of an unregistered name', (dl) => dl.fetchCollection('nothing')],
    ['getCollectionRef of an unregistered name', (dl) => dl.getCollectionRef('nothing')],
    ['isItemLoading of an unregistered type', (dl) => dl.isItemLoading('nothing', 1)],
    ['isCollectionLoading of an unregistered name', (dl) => dl.isCollectionLoading('nothing')],
    ['prefetchItem of an unregistered type', (dl) => dl.prefetchItem('nothing', 1)],
    ['prefetchCollection of an unregistered name', (dl) => dl.prefetchCollection('nothing')],
  ])('%s fails with an error that names it', async (_title, run) => {
    const { dl } = createStage();
    await expect(async () => run(dl)).rejects.toThrow(/nothing/);
  });
});

describe('§4.4 getItemRef and getCollectionRef', () => {
  it('start no fetch', async () => {
    const { sim, dl, calls, events } = createStage();
    const ref = dl.getItemRef('ticket', 7);
    const listRef = dl.getCollectionRef('tickets');
    await sim.advance(1000);
    expect(calls).toEqual([]);
    expect(events).toEqual([]);
    expect([ref.data, ref.meta.isLoading, ref.meta.lastFetchedAny]).toEqual([null, false, null]);
    expect([listRef.data.ids, listRef.meta.isLoading, listRef.meta.lastFetched]).toEqual([[], false, null]);
  });
});

describe('§4.4 onChange and onRefChange', () => {
  it('onChange calls back on any change of state until it is unsubscribed', async () => {
    const { sim, dl, item, list } = createStage();
    let count = 0;
    const stop = dl.onChange(() => (count += 1));
    item('ticket', 7);
    const afterLoading = count;
    expect(afterLoading).toBeGreaterThan(0);
    await sim.advance(100);
    expect(count).toBeGreaterThan(afterLoading);
    stop();
    stop();
    const before = count;
    list('tickets');
    await sim.advance(100);
    expect(count).toBe(before);
  });

  it('onChange calls back when the stream’s status changes, and when entries are evicted', async () => {
    const { sim, dl, hold, item } = createStage({
      init: {
        sse: { enabled: true, connectOnInit: false },
        memory: { itemEntryTtlMs: 1000, pruneIntervalMs: 2000 },
      },
    });
    await hold(
      () => item('ticket', 7),
      () => item('ticket', 8),
    );
    const seen: unknown[] = [];
    dl.onChange(() => {
      const { sse, memory } = dl.state();
      seen.push(`${sse.status}, ${memory.items} items`);
    });
    dl.connectSse();
    await sim.advance(10);
    dl.disconnectSse();
    await sim.advance(2000);
    expect(seen).toEqual(['connecting, 2 items', 'open, 2 items', 'off, 2 items', 'off, 0 items']);
  });

  it('onChange calls back when the retry delay of the stream becomes longer', async () => {
    const { sim, dl } = createStage({ init: { sse: { enabled: true, retryJitter: 0 } } });
    sim.link.cut();
    await sim.advance(100);
    const seen: unknown[] = [];
    dl.onChange(() => {
      const { status, retryInMs } = dl.state().sse;
      seen.push([status, retryInMs]);
    });
    sim.page.setOnline(false);
    await sim.advance(2000);
    sim.page.setOnline(true);
    expect(seen).toEqual([
      ['waiting', 30_000],
      ['connecting', null],
    ]);
  });

  it('onChange calls back after the onRefChange callbacks, even when one of them reads an entry', async () => {
    const { sim, dl, hold, item } = createStage();
    await hold(
      () => item('ticket', 7),
      () => item('ticket', 8),
      () => item('ticket', 9),
    );
    const told: string[] = [];
    for (const id of [7, 8]) {
      dl.onRefChange(dl.getItemRef('ticket', id), () => {
        told.push(`watcher ${id}`);
        item('ticket', 9);
      });
    }
    dl.onChange(() => told.push('any'));
    void dl.applyDirectives([7, 8].map((id) => refreshItem('ticket', id)));
    expect(told.splice(0)).toEqual(['watcher 7', 'watcher 8', 'any']); // `isStale`
    await sim.advance(50);
    expect(told).toEqual(['watcher 7', 'watcher 8', 'any']); // `isLoading`
  });

  it('onRefChange fires only for that reference', async () => {
    const { sim, dl, hold, item, list } = createStage();
    await hold(
      () => item('ticket', 7),
      () => item('ticket', 8),
      () => list('tickets'),
    );
    const told: string[] = [];
    dl.onRefChange(item('ticket', 7), () => told.push('7'));
    dl.onRefChange(list('tickets'), () => told.push('list'));
    void dl.applyDirectives([refreshItem('ticket', 8, { result: { id: 8 } })]);
    await sim.advance(0);
    expect(told).toEqual([]);
    void dl.applyDirectives([refreshItem('ticket', 7, { result: { id: 70 } })]);
    expect(told).toEqual(['7']);
    void dl.applyDirectives([refreshList('tickets', { result: { ids: [9] } })]);
    expect(told).toEqual(['7', 'list']);
  });

  it('onRefChange calls back once for a batch, synchronously, after every entry is updated', async () => {
    const { dl, item, list } = await createCachedStage();
    const seen: unknown[] = [];
    const ref = item('ticket', 7);
    const listRef = list('tickets');
    dl.onRefChange(ref, () => seen.push([ref.data, listRef.data.ids]));
    dl.onRefChange(listRef, () => seen.push([ref.data, listRef.data.ids]));
    let changes = 0;
    dl.onChange(() => (changes += 1));
    void dl.applyDirectives([
      refreshItem('ticket', 7, { result: { v: 1 } }),
      refreshItem('ticket', 7, { result: { v: 2 } }),
      refreshList('tickets', { result: { ids: [9] } }),
    ]);
    expect(seen).toEqual([
      [{ v: 2 }, [9]],
      [{ v: 2 }, [9]],
    ]);
    expect(changes).toBe(1);
  });

  it('a callback that throws is logged and does not stop the next one', async () => {
    const { sim, dl, hold, item } = createStage();
    await hold(() => item('ticket', 7));
    let count = 0;
    dl.onRefChange(item('ticket', 7), () => {
      throw new Error('broken listener');
    });
    dl.onRefChange(item('ticket', 7), () => (count += 1));
    void dl.applyDirectives([refreshItem('ticket', 7, { result: { id: 70 } })]);
    expect(count).toBe(1);
    expect(sim.log.map(({ level }) => level)).toEqual(['error']);
  });

  it('a callback that is subscribed twice is unsubscribed one subscription at a time', async () => {
    const { dl, hold, item } = createStage();
    await hold(() => item('ticket', 7));
    let count = 0;
    const callback = (): void => void (count += 1);
    const first = dl.onRefChange(item('ticket', 7), callback);
    dl.onRefChange(item('ticket', 7), callback);
    first();
    void dl.applyDirectives([refreshItem('ticket', 7, { result: { id: 70 } })]);
    expect(count).toBe(1);
  });

  it('onRefChange throws a TypeError for a value that is not a reference', () => {
    const { dl } = createStage();
    expect(() => dl.onRefChange({} as never, () => undefined)).toThrow(TypeError);
    expect(() => dl.onRefChange(null as never, () => undefined)).toThrow(TypeError);
  });

  it('an update replaces data and meta and leaves the earlier objects unchanged', async () => {
    const { dl, hold, item } = createStage();
    await hold(() => item('ticket', 7));
    const ref = item('ticket', 7);
    const { data, meta } = ref;
    const stamp = meta.lastFetchedAny;
    void dl.applyDirectives([refreshItem('ticket', 7, { result: { id: 70 } })]);
    expect(ref.data).not.toBe(data);
    expect(data).toEqual({ id: 7, default: 1 });
    expect(meta.lastFetchedAny).toBe(stamp);
    expect(ref.meta).not.toBe(meta);
  });

  it('a reference is compared, spread and serialized as its data and meta', async () => {
    const { hold, item, list } = createStage();
    await hold(
      () => item('ticket', 7),
      () => item('ticket', 8),
      () => list('tickets'),
    );
    const [one, all] = [item('ticket', 7), list('tickets')];
    expect(one).toEqual({ data: { id: 7, default: 1 }, meta: one.meta });
    expect(one).not.toEqual(item('ticket', 8));
    expect({ ...all }).toEqual({ data: all.data, meta: all.meta });
    expect(JSON.parse(JSON.stringify(one))).toMatchObject({ data: { id: 7 }, meta: { isLoading: false } });
  });

  it('lastUsedAt and isStale are computed on access: no subscriber is notified when an entry ages or is read', async () => {
    const { sim, dl, hold, item } = createStage();
    await hold(() => item('ticket', 7));
    const ref = dl.getItemRef('ticket', 7);
    let told = 0;
    dl.onRefChange(ref, () => (told += 1));
    dl.onChange(() => (told += 1));
    const before = ref.meta.lastUsedAt;
    await sim.advance(20_000);
    expect(ref.meta.isStale).toBe(true);
    void dl.applyDirectives([{ op: 'invalidate', name: 'ticket', id: 99 }]);
    item('ticket', 8);
    expect(told).toBe(1); // From onChange, when another item starts to load.
    dl.fetchItem('ticket', 7, null, { silent: true });
    expect(Date.parse(ref.meta.lastUsedAt)).toBeGreaterThan(Date.parse(before));
    expect(told).toBe(1);
  });
});

describe('§4.4 onLifecycle', () => {
  it('names the event whose callback fails, and calls the others', () => {
    const { sim, dl, list } = createStage();
    const seen: string[] = [];
    dl.onLifecycle('collection:fetch:intent', () => {
      throw new Error('not ready');
    });
    dl.onLifecycle('collection:fetch:intent', () => seen.push('told'));
    list('tickets');
    expect(seen).toEqual(['told']);
    expect(sim.log.map(({ message }) => message)).toEqual([
      'A listener of "collection:fetch:intent" failed.',
    ]);
  });

  it('does not call a callback that an earlier callback has unsubscribed', () => {
    const { dl, list } = createStage();
    const seen: string[] = [];
    dl.onLifecycle('collection:fetch:intent', () => stop());
    const stop = dl.onLifecycle('collection:fetch:intent', () => seen.push('told'));
    list('tickets');
    expect(seen).toEqual([]);
  });

  it('does not affect a later subscription when it is unsubscribed twice', () => {
    const { dl, list } = createStage();
    const seen: string[] = [];
    const stop = dl.onLifecycle('collection:fetch:intent', () => undefined);
    stop();
    dl.onLifecycle('collection:fetch:intent', () => seen.push('told'));
    stop();
    list('tickets');
    expect(seen).toEqual(['told']);
  });
});

describe('§4.4 clientId', () => {
  it('is unique per client instance and does not change', () => {
    const { sim, dl } = createStage();
    const ids = Array.from({ length: 50 }, () => createDataLayer({ env: sim.env }).clientId());
    expect(new Set([...ids, dl.clientId()]).size).toBe(51);
    expect(dl.clientId()).toBe(dl.clientId());
    expect(dl.clientId()).toBeTypeOf('string');
  });

  it('is unique in the default environment too', () => {
    const ids = Array.from({ length: 50 }, () => createDataLayer().clientId());
    expect(new Set(ids).size).toBe(50);
  });
});

describe('§4.4 D-FETCH-5 isItemLoading, isCollectionLoading, hasAnyInFlightRequests', () => {
  it('are true for exactly that item and level, or params set, while the request is in flight', async () => {
    const { sim, dl, item, list } = createStage();
    item('doc', 7, 'full');
    list('tickets', { page: 1 });
    expect(dl.isItemLoading('doc', 7, 'full')).toBe(true);
    expect(dl.isItemLoading('doc', '7', 'full')).toBe(true);
    expect([
      dl.isItemLoading('doc', 7),
      dl.isItemLoading('doc', 7, 'simplified'),
      dl.isItemLoading('doc', 8, 'full'),
    ]).toEqual([false, false, false]);
    expect(dl.isCollectionLoading('tickets', { page: 1 })).toBe(true);
    expect([dl.isCollectionLoading('tickets'), dl.isCollectionLoading('tickets', { page: 2 })]).toEqual([
      false,
      false,
    ]);
    expect(dl.hasAnyInFlightRequests()).toBe(true);
    await sim.advance(10);
    expect([
      dl.isItemLoading('doc', 7, 'full'),
      dl.isCollectionLoading('tickets', { page: 1 }),
      dl.hasAnyInFlightRequests(),
    ]).toEqual([false, false, false]);
  });

  it('treat an omitted level, null, undefined and "default" as the default level', () => {
    const { dl, item } = createStage();
    item('ticket', 7);
    expect([
      dl.isItemLoading('ticket', 7),
      dl.isItemLoading('ticket', 7, null),
      dl.isItemLoading('ticket', 7, undefined),
      dl.isItemLoading('ticket', 7, 'default'),
    ]).toEqual([true, true, true, true]);
  });

  it('are false for an entry that does not exist, and do not create it', () => {
    const { dl } = createStage();
    expect([dl.isItemLoading('ticket', 7), dl.isCollectionLoading('tickets')]).toEqual([false, false]);
    expect(dl.state().memory).toMatchObject({ items: 0, collections: 0 });
  });
});

describe('whenSettled', () => {
  it('D-FETCH-8 without an argument resolves when a follow-up request removed an entry from the coalescing window', async () => {
    const { sim, dl, item } = createStage();
    item('ticket', 7);
    dl.fetchItem('ticket', 7, null, { force: true });
    void dl.applyDirectives([refreshItem('ticket', 7)]);
    const wait = watched(dl.whenSettled());
    await sim.advance(20);
    expect(dl.state().bulk.pending).toBe(0);
    expect(wait.isDone).toBe(true);
  });

  it('with a Response of DL.fetch waits for the refetches of its directives and for no others', async () => {
    const { sim, dl, server } = await createCachedStage();
    sim.route('POST /act', () => ({ directives: [refreshItem('ticket', 7)] }));
    const response = await dl.fetch('/act', { method: 'POST' });
    const wait = watched(dl.whenSettled(response));
    await sim.advance(9); // Its refetch takes 10 ms.
    expect(wait.isDone).toBe(false);
    server.latencyMs = 5000;
    dl.fetchCollection('tickets', { force: true });
    await sim.advance(1);
    expect(wait.isDone).toBe(true);
    expect(dl.hasAnyInFlightRequests()).toBe(true);
  });

  it('with a Response without directives, or whose directives trigger nothing, resolves immediately', async () => {
    const { sim, dl, item } = createStage();
    item('ticket', 1);
    sim.route('POST /act', () => ({ directives: [refreshItem('ticket', 7)] }));
    const response = await dl.fetch('/act', { method: 'POST' });
    const waits = [watched(dl.whenSettled(response)), watched(dl.whenSettled(Response.json({})))];
    await sim.advance(0);
    expect(waits.map(({ isDone }) => isDone)).toEqual([true, true]);
  });
});

describe('prefetchItem and prefetchCollection', () => {
  it('fetch the data and resolve when the request has settled', async () => {
    const { sim, dl, taken } = createStage();
    const waits = [
      watched(dl.prefetchItem('doc', 7, 'full')),
      watched(dl.prefetchCollection('tickets', { params: { page: 1 } })),
    ];
    await sim.advance(9);
    expect(waits.map(({ isDone }) => isDone)).toEqual([false, false]);
    await sim.advance(1);
    expect(waits.map(({ isDone }) => isDone)).toEqual([true, true]);
    expect(taken()).toEqual(['doc 7 full', 'tickets {"page":1}']);
    expect(dl.getItemRef('doc', 7).data).toEqual({ id: 7, full: 1 });
  });

  it('fetch nothing when the data is fresh', async () => {
    const { sim, dl, taken } = await createCachedStage();
    const waits = [watched(dl.prefetchItem('ticket', 7)), watched(dl.prefetchCollection('tickets'))];
    await sim.advance(0);
    expect(waits.map(({ isDone }) => isDone)).toEqual([true, true]);
    expect(taken()).toEqual([]);
  });

  it('resolve when the request fails and leave the error in the reference', async () => {
    const { sim, dl, server } = createStage();
    server.item = () => {
      throw new Error('down');
    };
    const promise = dl.prefetchItem('ticket', 7);
    await sim.advance(10);
    await expect(promise).resolves.toBeUndefined();
    expect(dl.getItemRef('ticket', 7).meta.error).toBe('down');
  });
});

describe('directiveHeaders', () => {
  it('returns the client id header and the directive request header', () => {
    const { dl } = createStage();
    expect(dl.directiveHeaders()).toEqual({
      'X-Service-Client-ID': dl.clientId(),
      'X-Service-Directive-Request': 'send me directives',
    });
  });

  it.each<[string, HeadersInit]>([
    ['an object', { 'X-Mine': '1' }],
    ['a list of pairs', [['X-Mine', '1']]],
    ['Headers', new Headers({ 'X-Mine': '1' })],
  ])('merges the two headers into %s', (_title, extra) => {
    const { dl } = createStage();
    const headers = new Headers(dl.directiveHeaders(extra));
    expect(headers.get('x-mine')).toBe('1');
    expect(headers.get('x-service-client-id')).toBe(dl.clientId());
    expect(headers.get('x-service-directive-request')).toBe('send me directives');
  });

  it.each([[null], [undefined], [5]])('returns only the two headers for %j', (extra) => {
    const { dl } = createStage();
    expect(Object.keys(dl.directiveHeaders(untyped(extra)))).toEqual([
      'X-Service-Client-ID',
      'X-Service-Directive-Request',
    ]);
  });

  it('overwrites the same headers of the caller, whatever their case', () => {
    const { dl } = createStage();
    const headers = new Headers(dl.directiveHeaders({ 'x-service-client-id': 'forged' }));
    expect(headers.get('x-service-client-id')).toBe(dl.clientId());
  });
});

describe('configureMemory and configureSse', () => {
  it('configureMemory merges its options into the current ones and throws for an invalid one', () => {
    const { dl } = createStage();
    dl.configureMemory({ maxItemsPerType: 5 });
    dl.configureMemory({ itemEntryTtlMs: 1000 });
    expect(dl.state().memory).toMatchObject({
      maxItemsPerType: 5,
      itemEntryTtlMs: 1000,
      pruneIntervalMs: 60_000,
    });
    expect(() => dl.configureMemory({ maxItemsPerType: -1 })).toThrow(/maxItemsPerType/);
  });

  it('configureSse merges its options into the current ones and throws for an invalid one', () => {
    const { dl } = createStage();
    dl.configureSse({ audience: 'team' });
    dl.configureSse({ url: '/stream' });
    expect(dl.state().sse.audience).toBe('team');
    expect(dl.state().sse.url).toContain('/stream');
    expect(() => dl.configureSse({ initialRetryMs: -1 })).toThrow(/initialRetryMs/);
  });

  it('connectSse and disconnectSse open and close the stream by hand', async () => {
    const { sim, dl, of } = createStage({ init: { sse: { connectOnInit: false } } });
    await sim.advance(100);
    expect(sim.hub.connections()).toHaveLength(0);
    dl.connectSse();
    dl.connectSse();
    await sim.advance(100);
    expect(sim.hub.connections()).toHaveLength(1);
    expect(dl.state().sse).toMatchObject({ connected: true, status: 'open' });
    dl.disconnectSse();
    await sim.advance(100);
    expect(sim.hub.connections()).toHaveLength(0);
    expect(dl.state().sse).toMatchObject({ connected: false, status: 'off' });
    expect(of('sse:close')).toEqual([{ reason: 'disconnect' }]);
    dl.dispose();
  });
});

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
    expect(state.sse).toMatchObject({
      enabled: true,
      connected: false,
      status: 'off',
      audience: 'global',
      lastSeq: {},
      role: null,
    });
    expect(Object.keys(state.sse).toSorted()).toEqual(
      [
        'attempt',
        'audience',
        'connected',
        'enabled',
        'lastSeq',
        'retryInMs',
        'role',
        'status',
        'url',
      ].toSorted(),
    );
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
    const { dl, hold, item } = createStage();
    await hold(() => item('ticket', 1));
    const state = dl.state();
    state.memory.maxItemsPerType = 1;
    state.types['ticket']?.levels.push('x');
    state.sse.lastSeq['global'] = 5;
    expect(dl.state().memory.maxItemsPerType).toBe(512);
    expect(dl.state().types['ticket']?.levels).toEqual(['default']);
    expect(dl.state().sse.lastSeq).toEqual({});
  });

  it('returns a copy of the list of audiences', () => {
    const { dl } = createStage({ init: { sse: { enabled: false, audience: ['global', 'team'] } } });
    const { audience } = dl.state().sse;
    expect(audience).toEqual(['global', 'team']);
    expect(() => (audience as string[]).push('user-1')).not.toThrow(); // Its type is read-only.
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
});

describe('§2.9 devtools()', () => {
  it('adds the client id, items, refs, requests in flight, seen keys and events', async () => {
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

  it('contains names such as "__proto__" as own properties, as state() does', () => {
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

  it('keeps the last 200 events', async () => {
    const { sim, dl, list } = createStage();
    for (let page = 0; page < 100; page += 1) list('tickets', { page });
    await sim.advance(100);
    const { events } = dl.devtools();
    expect(events).toHaveLength(200);
    expect(events.at(-1)).toMatchObject({
      event: 'collection:fetch:complete',
      detail: { params: { page: 99 } },
    });
  });

  it('keeps the detail and time of each event after older events were dropped', async () => {
    const { sim, dl, list } = createStage();
    for (let page = 0; page < 200; page += 1) list('tickets', { page });
    await sim.advance(1000);
    list('tickets', { page: 200 });
    const { events } = dl.devtools();
    expect(events.at(-1)).toMatchObject({
      event: 'collection:fetch:intent',
      detail: { params: { page: 200 }, force: false },
      at: sim.now(),
    });
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

  it('is serializable', async () => {
    const { dl, hold, item } = createStage();
    await hold(() => item('ticket', 7));
    expect(() => JSON.stringify(dl.devtools())).not.toThrow();
  });
});

describe('dispose', () => {
  /** Wraps the environment to count the requests that are still open. */
  function counted() {
    const open = { fetches: 0, listeners: 0 };
    const env = (sim: { env: Env }): Partial<Env> => ({
      fetch: async (input, init) => {
        open.fetches += 1;
        init?.signal?.addEventListener('abort', () => (open.fetches -= 1), { once: true });
        return sim.env.fetch(input, init);
      },
    });
    return { open, env };
  }

  it('leaves no timer, no listener, no stream and no request', async () => {
    const { open, env } = counted();
    const { sim, dl, server, contexts, item, list } = createStage({
      env,
      init: { sse: {}, bulk: { readWindowMs: 500, retryFailedMs: 1000 } },
    });
    await sim.advance(10);
    server.latencyMs = 5000;
    dl.onRefChange(item('ticket', 7), () => undefined);
    list('tickets');
    item('note', 1);
    void dl.applyDirectives([refreshItem('ticket', 7)]);
    dl.ingestEnvelope({
      type: 'directives',
      seq: 9e15,
      audience: 'global',
      directives: [refreshList('tickets')],
    });
    expect(sim.pendingTimers()).toBeGreaterThan(0);
    dl.dispose();
    await sim.advance(0);
    expect(sim.pendingTimers()).toBe(0);
    expect(sim.page.listeners()).toBe(0);
    expect(sim.hub.connections()).toHaveLength(0);
    expect(open.fetches).toBe(0);
    expect(contexts.map(({ signal }) => signal.aborted)).toEqual(contexts.map(() => true));
    await sim.advance(100_000);
    expect(sim.pendingTimers()).toBe(0);
  });

  it.each<[string, (stage: ReturnType<typeof createStage>) => void]>([
    ['while the stream waits for its next attempt', ({ sim }) => sim.hub.stop()],
    [
      'while the stream is being opened',
      ({ sim, dl }) => (sim.link.delay(100), dl.disconnectSse(), dl.connectSse()),
    ],
    ['after the stream was disconnected', ({ dl }) => dl.disconnectSse()],
  ])('leaves no timer %s', async (_title, run) => {
    const stage = createStage({ init: { sse: {} } });
    await stage.sim.advance(10);
    run(stage);
    await stage.sim.advance(10);
    stage.dl.dispose();
    await stage.sim.advance(1000);
    expect(stage.sim.pendingTimers()).toBe(0);
    expect(stage.sim.page.listeners()).toBe(0);
    expect(stage.sim.hub.connections()).toHaveLength(0);
  });

  it('can be called twice', () => {
    const { dl } = createStage();
    dl.dispose();
    expect(() => dl.dispose()).not.toThrow();
  });

  it('prevents every later call from starting a request, a timer or a reload', async () => {
    const { sim, dl, item, list, calls } = await createCachedStage({ init: { sse: {} } });
    const state = dehydrate(dl);
    dl.dispose();
    const requests = sim.requests.length;
    sim.route('GET /x', () => ({ directives: [refreshItem('ticket', 7)] }));
    item('ticket', 9);
    list('tickets', { page: 9 });
    dl.fetchItem('ticket', 7, null, { force: true });
    await dl.applyDirectives([refreshItem('ticket', 7), { op: 'force_reload_page' }]);
    await dl.applyResponse(
      Response.json({ directives: [refreshItem('ticket', 7), { op: 'force_reload_page' }] }),
    );
    await dl.prefetchItem('ticket', 10);
    await dl.prefetchCollection('notes');
    await dl.whenSettled();
    dl.connectSse();
    dl.configureSse({ audience: 'team' });
    dl.configureMemory({ pruneIntervalMs: 100 });
    hydrate(dl, state);
    dl.ingestEnvelope({
      type: 'directives',
      seq: 1,
      audience: 'global',
      directives: [refreshItem('ticket', 7)],
    });
    dl.ingestEnvelope({
      type: 'directives',
      seq: 9,
      audience: 'global',
      directives: [refreshItem('ticket', 7), { op: 'force_reload_page' }],
    });
    dl.init();
    let connects = 0;
    dl.configureDirectiveSource({ type: 'late', connect: () => void (connects += 1) });
    dl.connectDirectiveSource();
    await sim.advance(100_000);
    expect(calls).toEqual([]);
    expect(sim.requests).toHaveLength(requests);
    expect(sim.pendingTimers()).toBe(0);
    expect(sim.page.listeners()).toBe(0);
    expect(sim.reloads).toEqual([]);
    expect(connects).toBe(0);
    expect(dl.hasAnyInFlightRequests()).toBe(false);
  });

  it('does not affect other data layers', async () => {
    const a = createStage({ init: { sse: {} } });
    const b = createStage({ sim: a.sim, init: { sse: {} } });
    await a.sim.advance(10);
    a.dl.dispose();
    await b.hold(() => b.item('ticket', 7));
    a.sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 7 }]);
    await a.sim.advance(100);
    expect(b.taken()).toEqual(['ticket 7']);
    b.dl.dispose();
  });
});
