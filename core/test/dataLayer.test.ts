// A data layer as a whole: its duties, its operations, and its independence of other data layers.

import { describe, expect, it } from 'vitest';
import { createDataLayer } from '@edict/core';
import type { DataLayer } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import { refreshItem } from './directives.ts';
import { type Stage, createCachedStage, createStage, createWorld, thrown, watchPromise } from './world.ts';

/** Every operation of §4.3, §4.4 and D-NAME-2 of the specification. */
const operations = [
  'init',
  'createType',
  'createCollection',
  'register',
  'json',
  'ensureItem',
  'ensureCollection',
  'fetchItem',
  'fetchCollection',
  'getItemRef',
  'getCollectionRef',
  'applyDirectives',
  'onChange',
  'onRefChange',
  'onLifecycle',
  'clientId',
  'state',
  'devtools',
  'isItemLoading',
  'hasAnyInFlightRequests',
  'connectSse',
  'disconnectSse',
  'configureSse',
  'configureDirectiveSource',
  'isCollectionLoading',
  'configureMemory',
  'connectDirectiveSource',
  'disconnectDirectiveSource',
  'ingestEnvelope',
  'fetch',
  'applyResponse',
  'directiveHeaders',
  'whenSettled',
  'reset',
  'prefetchItem',
  'prefetchCollection',
  'dispose',
] as const satisfies readonly (keyof DataLayer)[];

describe('§1 the responsibilities of server and client', () => {
  it('§3 a directive names the data that changed: the client refetches it once, and the rest stays fresh', async () => {
    const { dl, sim, server, hold, item, taken } = await createCachedStage();
    await hold(() => item('ticket', 8));
    const refs = [dl.getItemRef('ticket', 7), dl.getItemRef('ticket', 8), dl.getCollectionRef('tickets')];
    server.version = 2;
    for (let count = 0; count < 5; count += 1) void dl.applyDirectives([refreshItem('ticket', 7)]);
    expect(refs.map(({ meta }) => meta.isStale)).toEqual([true, false, false]);
    await sim.advance(100);
    expect(taken()).toEqual(['ticket 7']);
    expect(refs.map(({ data }) => data)).toEqual([
      { id: 7, default: 2 },
      { id: 8, default: 1 },
      { ids: [1], count: 1 },
    ]);
  });

  it('there are no optimistic updates: the data changes only after the server confirmed the mutation', async () => {
    const stage = await createCachedStage();
    const before = stage.dl.getItemRef('ticket', 7).data;
    stage.sim.route('PATCH /tickets/7', async () => {
      await stage.sim.sleep(500);
      return { id: 7, title: 'new', directives: [refreshItem('ticket', 7)] };
    });
    const mutation = stage.dl.fetch('/tickets/7', { method: 'PATCH', body: '{"title":"new"}' });
    await stage.sim.advance(499);
    expect(stage.dl.getItemRef('ticket', 7).data).toBe(before);
    expect(stage.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
    stage.server.version = 2;
    await Promise.all([mutation, stage.sim.advance(1)]);
    expect(stage.dl.getItemRef('ticket', 7).data).toBe(before);
    await stage.sim.advance(100);
    expect(stage.dl.getItemRef('ticket', 7).data).toEqual({ id: 7, default: 2 });
  });

  it('a mutation that the server rejects changes no data', async () => {
    const stage = await createCachedStage();
    const before = stage.dl.getItemRef('ticket', 7).data;
    stage.sim.route('PATCH /tickets/7', () => Response.json({ error: 'no' }, { status: 422 }));
    await Promise.all([stage.dl.fetch('/tickets/7', { method: 'PATCH' }), stage.sim.advance(100)]);
    expect(stage.dl.getItemRef('ticket', 7).data).toBe(before);
    expect(stage.taken()).toEqual([]);
  });

  it.each<[string, object, (stage: Stage) => unknown]>([
    [
      'pull, in the response of a mutation',
      { enabled: false },
      ({ dl }) => dl.fetch('/act', { method: 'POST' }),
    ],
    [
      'push, over the event stream',
      {},
      ({ sim }) => sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 7 }]),
    ],
    [
      'a custom transport',
      { enabled: false },
      ({ dl }) =>
        dl.configureDirectiveSource({
          type: 'websocket',
          connect: ({ applyDirectives }) => void applyDirectives([refreshItem('ticket', 7)]),
        }),
    ],
  ])('directives travel by %s', async (_title, sse, send) => {
    const stage = await createCachedStage({ init: { sse } });
    stage.sim.route('POST /act', () => ({ directives: [refreshItem('ticket', 7)] }));
    void send(stage);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
    stage.dl.dispose();
  });
});

describe('D-NAME-2 the operations', () => {
  it('are those of the specification', () => {
    const { dl } = createWorld();
    expect(Object.keys(dl).sort()).toEqual([...operations].sort());
    for (const name of operations) expect(dl[name]).toEqual(expect.any(Function));
  });

  it('can be destructured', async () => {
    const sim = createSimulation();
    sim.route('POST /change', () => ({ directives: [refreshItem('ticket', 1)] }));
    const {
      init,
      createType,
      createCollection,
      fetchItem,
      fetchCollection,
      getItemRef,
      getCollectionRef,
      applyDirectives,
      onChange,
      onRefChange,
      onLifecycle,
      clientId,
      state,
      devtools,
      isItemLoading,
      isCollectionLoading,
      hasAnyInFlightRequests,
      connectSse,
      disconnectSse,
      configureSse,
      configureMemory,
      configureDirectiveSource,
      connectDirectiveSource,
      disconnectDirectiveSource,
      ingestEnvelope,
      fetch,
      applyResponse,
      directiveHeaders,
      whenSettled,
      prefetchItem,
      prefetchCollection,
      dispose,
    } = createDataLayer({ env: sim.env });
    init({ sse: { enabled: false } });
    createType('ticket', { fetch: (id) => ({ id }) });
    createCollection('tickets', { fetch: () => ({ ids: [1] }) });
    const heard: string[] = [];
    const changes: string[] = [];
    onLifecycle('*', ({ event }) => void heard.push(event));
    onChange(() => void changes.push('any'));
    const ref = getItemRef('ticket', 1);
    const list = getCollectionRef('tickets');
    onRefChange(ref, () => void changes.push('ticket'));
    expect([fetchItem('ticket', 1), fetchCollection('tickets')]).toEqual([ref, list]);
    expect([isItemLoading('ticket', 1), isCollectionLoading('tickets'), hasAnyInFlightRequests()]).toEqual([
      true,
      true,
      true,
    ]);
    await whenSettled();
    await prefetchItem('ticket', 2);
    await prefetchCollection('tickets', { params: { page: 2 } });
    const applied = applyDirectives([refreshItem('ticket', 1)]);
    await sim.advance(50);
    await applied;
    ingestEnvelope({ type: 'directives', audience: 'global', seq: 1, directives: [] });
    const answer = fetch('/change', { method: 'POST' });
    await sim.advance(50);
    await applyResponse(await answer);
    expect(directiveHeaders()['X-Service-Client-ID']).toBe(clientId());
    configureSse({ url: '/other' });
    configureMemory({ maxItemsPerType: 5 });
    connectSse();
    disconnectSse();
    let connected = 0;
    configureDirectiveSource({ type: 'test', connect: () => void (connected += 1) });
    connectDirectiveSource();
    disconnectDirectiveSource();
    expect(connected).toBe(1);
    expect(state().memory).toMatchObject({ maxItemsPerType: 5, items: 2, collections: 2 });
    expect(devtools().clientId).toBe(clientId());
    expect(heard).toContain('item:fetch:success');
    expect(new Set(changes)).toEqual(new Set(['any', 'ticket']));
    dispose();
    expect(sim.pendingTimers()).toBe(0);
  });
});

describe('D-NAME-3 two data layers', () => {
  it('share nothing', async () => {
    const sim = createSimulation();
    const [one, two] = [
      sim.createDataLayer({ sse: { enabled: false } }),
      sim.createDataLayer({ sse: { enabled: false } }),
    ];
    expect(one.clientId()).not.toBe(two.clientId());
    let asked = 0;
    const heard: string[] = [];
    two.onLifecycle('*', ({ event }) => void heard.push(event));
    two.onChange(() => void heard.push('change'));
    one.createType('ticket', { fetch: (id) => ((asked += 1), { id }) });
    one.createCollection('tickets', { fetch: () => ({ ids: [] }) });
    const ref = one.fetchItem('ticket', 1);
    await sim.advance(0);
    expect(thrown(() => two.fetchItem('ticket', 1))).toBeInstanceOf(Error);
    expect(two.state()).toMatchObject({ types: {}, collections: {}, memory: { items: 0, collections: 0 } });
    two.createType('ticket', { fetch: (id) => ({ id, of: 'two' }) });
    const other = two.fetchItem('ticket', 1);
    await sim.advance(0);
    expect(other).not.toBe(ref);
    expect([ref.data, other.data]).toEqual([{ id: 1 }, { id: 1, of: 'two' }]);
    heard.length = 0;
    const directive = refreshItem('ticket', 1, { idempotency_key: 'once' });
    void one.applyDirectives([directive]);
    await sim.advance(1000);
    expect([asked, heard]).toEqual([2, []]);
    void two.applyDirectives([directive]);
    expect(heard).toContain('directive:processed');
    one.init({ bulk: { delayMs: 7 }, memory: { maxItemsPerType: 3 } });
    expect(two.state().bulk.delayMs).toBe(50);
    expect(two.state().memory.maxItemsPerType).toBe(512);
    one.dispose();
    expect(two.fetchItem('ticket', 2).meta.isLoading).toBe(true);
  });

  it.each([
    ['the simulated environment', createSimulation().env],
    ['the default environment', {}],
  ])('§4.4 have different client ids in %s, which do not change', (_, env) => {
    const layers = Array.from({ length: 50 }, () => createDataLayer({ env }));
    const ids = layers.map((dl) => dl.clientId());
    expect(new Set(ids).size).toBe(50);
    expect(layers.map((dl) => dl.clientId())).toEqual(ids);
    expect(ids[0]).toBeTypeOf('string');
  });
});

describe('§4.4 fetchItem and fetchCollection', () => {
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
});

describe('§4.4 getItemRef and getCollectionRef', () => {
  it('D-FETCH-4 start no fetch and emit no event', async () => {
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

  it('are false for an entry that does not exist, do not create it, and throw for an unregistered name', () => {
    const { dl } = createStage();
    expect([dl.isItemLoading('ticket', 7), dl.isCollectionLoading('tickets')]).toEqual([false, false]);
    expect(dl.state().memory).toMatchObject({ items: 0, collections: 0 });
    expect(() => dl.isItemLoading('nothing', 1)).toThrow(/nothing/);
    expect(() => dl.isCollectionLoading('nothing')).toThrow(/nothing/);
  });
});

describe('prefetchItem and prefetchCollection', () => {
  it('fetch the data and resolve when the request has settled', async () => {
    const { sim, dl, taken } = createStage();
    const waits = [
      watchPromise(dl.prefetchItem('doc', 7, 'full')),
      watchPromise(dl.prefetchCollection('tickets', { params: { page: 1 } })),
    ];
    await sim.advance(9);
    expect(waits.map(({ is }) => is)).toEqual(['pending', 'pending']);
    await sim.advance(1);
    expect(waits.map(({ is }) => is)).toEqual(['resolved', 'resolved']);
    expect(taken()).toEqual(['doc 7 full', 'tickets {"page":1}']);
    expect(dl.getItemRef('doc', 7).data).toEqual({ id: 7, full: 1 });
  });

  it('fetch nothing when the data is fresh', async () => {
    const { sim, dl, taken } = await createCachedStage();
    const waits = [
      watchPromise(dl.prefetchItem('ticket', 7)),
      watchPromise(dl.prefetchCollection('tickets')),
    ];
    await sim.advance(0);
    expect(waits.map(({ is }) => is)).toEqual(['resolved', 'resolved']);
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

describe('configureMemory and configureSse', () => {
  it('merge their options into the current ones', () => {
    const { dl } = createStage();
    dl.configureMemory({ maxItemsPerType: 5 });
    dl.configureMemory({ itemEntryTtlMs: 1000 });
    expect(dl.state().memory).toMatchObject({
      maxItemsPerType: 5,
      itemEntryTtlMs: 1000,
      pruneIntervalMs: 60_000,
    });
    dl.configureSse({ audience: 'team' });
    dl.configureSse({ url: '/stream' });
    expect(dl.state().sse.audience).toBe('team');
    expect(dl.state().sse.url).toContain('/stream');
  });
});

describe('ensureItem and ensureCollection', () => {
  it('resolve to the data, from the cache while it is fresh', async () => {
    const { sim, dl, taken } = createStage();
    const [ticket, full, list] = await Promise.all([
      dl.ensureItem('ticket', 7),
      dl.ensureItem('doc', 7, 'full'),
      dl.ensureCollection('tickets', { params: { page: 1 } }),
      sim.advance(100),
    ]);
    expect([ticket, full, list]).toEqual([
      { id: 7, default: 1 },
      { id: 7, full: 1 },
      { ids: [1], count: 1 },
    ]);
    expect(taken()).toEqual(['ticket 7', 'doc 7 full', 'tickets {"page":1}']);
    await dl.ensureItem('ticket', 7);
    expect(taken()).toEqual([]);
  });

  it.each([
    ['full', 'default'],
    ['default', 'full'],
  ])(
    'resolve to null for a level that is null, whatever other levels have: %s before %s',
    async (...levels) => {
      const { sim, dl, server } = createStage();
      server.item = (_type, id, level) => (level === 'full' ? null : { id });
      const ensured: unknown[] = [];
      for (const level of levels) dl.fetchItem('doc', 7, level);
      await sim.advance(100);
      for (const level of levels) ensured.push(await dl.ensureItem('doc', 7, level));
      expect(ensured).toEqual(levels.map((level) => (level === 'full' ? null : { id: 7 })));
    },
  );

  it('wait for the refetch of stale data', async () => {
    const { sim, dl, server } = createStage();
    await Promise.all([dl.ensureItem('ticket', 7), sim.advance(20_000)]);
    server.version = 2;
    const [data] = await Promise.all([dl.ensureItem('ticket', 7), sim.advance(100)]);
    expect(data).toEqual({ id: 7, default: 2 });
  });

  it('reject with the error, and reject again without a request', async () => {
    const { sim, dl, server, taken } = createStage();
    const failure = new Error('The database does not respond.');
    server.item = () => {
      throw failure;
    };
    const first = dl.ensureItem('ticket', 7).catch((error: unknown) => error);
    await sim.advance(100);
    expect(await first).toBe(failure);
    expect(taken()).toEqual(['ticket 7']);
    await expect(dl.ensureItem('ticket', 7)).rejects.toBe(failure);
    expect(taken()).toEqual([]);
  });

  it('reject for an unknown name, and when the data layer is disposed', async () => {
    const { dl } = createStage();
    await expect(dl.ensureItem('tickte', 7)).rejects.toThrow('is not registered');
    const pending = dl.ensureCollection('tickets');
    dl.dispose();
    await expect(pending).rejects.toMatchObject({ name: 'AbortError' });
  });
});
