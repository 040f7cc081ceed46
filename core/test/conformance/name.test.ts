// Names of packages and operations, isolation of data layers, the environment, and lifecycle callbacks.

import * as hydration from '@edict/core/hydration';
import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as core from '@edict/core';
import { createDataLayer, DL } from '@edict/core';
import type { DataLayer, Id } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import { refreshItem, refreshList } from '../directives.ts';
import { createWorld, thrown } from '../world.ts';

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

describe('D-NAME-1 names', () => {
  it.each([
    ['core', '@edict/core'],
    ['react', '@edict/react'],
    ['server', '@edict/server'],
  ])('the package in folder %s is %s', (folder, name) => {
    const path = new URL(`../../../${folder}/package.json`, import.meta.url);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ name });
  });

  it('core exports createDataLayer and the ready default instance DL', () => {
    expect(core.createDataLayer).toEqual(expect.any(Function));
    for (const operation of operations) expect(DL[operation]).toEqual(expect.any(Function));
    expect(DL.clientId()).toEqual(expect.any(String));
    expect(DL.state().types).toEqual({});
  });

  it('DL registers, fetches and applies directives', async () => {
    let version = 1;
    DL.init({ sse: { enabled: false }, bulk: { delayMs: 0 } });
    DL.createType('name-ticket', { fetch: (id: Id) => ({ id, version }) });
    const ref = DL.fetchItem('name-ticket', 1);
    await DL.whenSettled(ref);
    version = 2;
    await DL.applyDirectives([refreshItem('name-ticket', 1)]);
    expect(ref.data).toEqual({ id: 1, version: 2 });
    DL.dispose();
  });

  it('the functions of @edict/core/hydration accept a data layer', () => {
    const { dl } = createWorld();
    const state = hydration.dehydrate(dl);
    hydration.hydrate(dl, JSON.parse(hydration.escapeState(state)) as typeof state);
    expect(hydration.readDehydrated(dl, state, { type: 'ticket', id: 1 })).toBeNull();
  });
});

describe('D-NAME-2 operations', () => {
  it.each(operations.map((name) => [name]))('%s exists', (name) => {
    expect(createWorld().dl[name]).toEqual(expect.any(Function));
  });

  it('there are no other operations', () => {
    expect(Object.keys(createWorld().dl).sort()).toEqual([...operations].sort());
  });

  it('all operations can be destructured', async () => {
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
});

describe('D-NAME-3 a reference', () => {
  it('of another data layer is rejected because this one is not notified of its changes', async () => {
    const sim = createSimulation();
    const [one, two] = [1, 2].map(() => sim.createDataLayer({ sse: { enabled: false } }));
    for (const dl of [one!, two!]) {
      dl.createType('ticket', { fetch: (id) => ({ id }) });
      dl.createCollection('tickets', { fetch: () => ({ ids: [] }) });
    }
    for (const ref of [one!.fetchItem('ticket', 1), one!.fetchCollection('tickets')]) {
      expect(thrown(() => two!.onRefChange(ref, () => undefined))).toBeInstanceOf(TypeError);
      expect(thrown(() => two!.whenSettled(ref))).toBeInstanceOf(TypeError);
      expect(thrown(() => one!.onRefChange(ref, () => undefined))).toBeUndefined();
    }
    await sim.settled();
  });
});

describe('D-NAME-3 the environment', () => {
  it('provides time, timers, randomness, ids, fetch, storage, reload and logging', async () => {
    const platform = [
      vi.spyOn(Date, 'now'),
      vi.spyOn(globalThis, 'setTimeout'),
      vi.spyOn(globalThis, 'setInterval'),
      vi.spyOn(Math, 'random'),
      vi.spyOn(globalThis.crypto, 'randomUUID'),
      vi.spyOn(globalThis, 'fetch'),
      ...(['debug', 'info', 'log', 'warn', 'error'] as const).map((level) => vi.spyOn(console, level)),
    ];
    try {
      const { dl, sim } = createWorld({ init: { sse: { enabled: true }, bulk: { jitterMs: 10 } } });
      for (const spy of platform) spy.mockClear();
      dl.createType('ticket', { fetch: (id) => ({ id }) });
      dl.createCollection('tickets', { fetch: () => Promise.reject(new Error('down')) });
      const ref = dl.fetchItem('ticket', 1);
      dl.fetchCollection('tickets');
      dl.onRefChange(ref, () => {
        throw new Error('a listener');
      });
      await sim.advance(10);
      void dl.applyDirectives([refreshItem('ticket', 1), null, { op: 'nonsense' }]);
      sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
      await sim.advance(100);
      sim.hub.lose(3);
      sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
      sim.link.cut();
      await sim.advance(5000);
      sim.link.restore();
      await sim.advance(60_000);
      sim.route('POST /change', () => ({ directives: [{ op: 'force_reload_page', idempotency_key: 'k' }] }));
      await Promise.all([dl.fetch('/change', { method: 'POST' }), sim.advance(10)]);
      await sim.advance(1_000_000);
      dl.dispose();
      expect(sim.reloads).toHaveLength(1);
      expect(sim.sessionStore.size).toBeGreaterThan(0);
      expect(sim.log.length).toBeGreaterThan(0);
      expect(platform.filter((spy) => spy.mock.calls.length > 0).map((spy) => spy.getMockName())).toEqual([]);
    } finally {
      for (const spy of platform) spy.mockRestore();
    }
  });

  it('reproduces the same events with the same seed', async () => {
    const run = async (seed: number): Promise<string> => {
      const { dl, sim } = createWorld({
        seed,
        init: { sse: { enabled: true }, bulk: { jitterMs: 100 } },
      });
      const log: unknown[] = [];
      dl.onLifecycle('*', ({ event, detail }) => void log.push([sim.now(), event, detail]));
      sim.link.delay([1, 40]);
      sim.link.rates({ drop: 0.3 });
      dl.createType('ticket', { fetch: async (id) => (await sim.sleep(5), { id }) });
      dl.onRefChange(dl.fetchItem('ticket', 1), () => undefined);
      for (let times = 0; times < 20; times += 1) {
        sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
        await sim.advance(300);
      }
      await sim.advance(60_000);
      return JSON.stringify(log);
    };
    expect(await run(7)).toBe(await run(7));
    expect(await run(7)).not.toBe(await run(8));
  });

  it('D-NAME-3 creates the client id only when it is first used, because some platforms forbid randomness while modules load', () => {
    let asked = 0;
    const dl = createDataLayer({ env: { newId: () => `me-${(asked += 1)}` } });
    dl.createType('ticket', { fetch: (id: Id) => ({ id }) });
    expect(asked).toBe(0);
    expect(dl.clientId()).toBe('me-1');
    expect(dl.directiveHeaders()['X-Service-Client-ID']).toBe('me-1');
    expect(dl.devtools().clientId).toBe('me-1');
    dl.dispose();
  });

  it('falls back to the platform for a member that is undefined', () => {
    const given = { env: { now: undefined, log: undefined, page: undefined } };
    const dl = createDataLayer(given as unknown as Parameters<typeof createDataLayer>[0]); // Possible without `exactOptionalPropertyTypes`.
    expect(() => dl.getItemRef('nothing', 1)).toThrow('is not registered');
    dl.createType('ticket', { fetch: () => 1 });
    expect(dl.getItemRef('ticket', 1).meta.lastUsedAt).toMatch(/^20/);
    dl.dispose();
  });

  it('uses the functions of the platform for missing members and looks them up on each call', () => {
    const now = vi.spyOn(Date, 'now').mockReturnValue(0);
    try {
      const dl = createDataLayer({ env: { newId: () => 'me' } });
      dl.createType('ticket', { fetch: (id: Id) => ({ id }) });
      const ref = dl.getItemRef('ticket', 1);
      expect(dl.clientId()).toBe('me');
      expect(ref.meta.lastUsedAt).toBe('1970-01-01T00:00:00.000Z');
      dl.dispose();
    } finally {
      now.mockRestore();
    }
  });

  it('works without a page outside a browser', async () => {
    const { dl, sim } = createWorld({ isBrowser: false });
    dl.createType('ticket', { fetch: (id) => ({ id }) });
    const ref = dl.fetchItem('ticket', 1);
    void dl.applyDirectives([{ op: 'force_reload_page' }]);
    await sim.advance(100);
    expect(ref.data).toEqual({ id: 1 });
    expect(sim.reloads).toEqual([]);
  });
});

describe('D-NAME-4 lifecycle callbacks', () => {
  it('receive { event, detail } for a single event and for *', async () => {
    const { dl, rest } = createWorld();
    dl.createType('ticket', { fetch: (id) => ({ id }) });
    const one: unknown[] = [];
    const all: unknown[] = [];
    dl.onLifecycle('item:fetch:intent', (message) => void one.push(message));
    dl.onLifecycle('*', (message) => void all.push(message));
    dl.fetchItem('ticket', 1);
    await rest();
    const intent = {
      event: 'item:fetch:intent',
      detail: { type: 'ticket', id: 1, level: 'default', qid: expect.any(String) },
    };
    expect(one).toEqual([intent]);
    expect(all).toEqual([
      intent,
      { event: 'item:fetch:success', detail: expect.objectContaining({ strategy: 'direct' }) },
      { event: 'item:fetch:complete', detail: expect.objectContaining({ id: 1 }) },
    ]);
    for (const message of [...one, ...all]) {
      expect(Object.keys(message as object).sort()).toEqual(['detail', 'event']);
    }
  });

  it('receive the type in item events and the name in collection events', async () => {
    const { dl, events, sim } = createWorld();
    let isDown = false;
    const answer = <T>(value: T): T => {
      if (isDown) throw new Error('down');
      return value;
    };
    dl.createType('ticket', { fetch: (id) => answer({ id }) });
    dl.createCollection('tickets', { fetch: () => answer({ ids: [] }) });
    const read = () => [dl.fetchItem('ticket', 1), dl.fetchCollection('tickets')];
    read();
    read();
    await sim.advance(0);
    read();
    isDown = true;
    void dl.applyDirectives([refreshItem('ticket', 1), refreshList('tickets')]);
    await sim.advance(50);
    for (const { event, detail } of events) {
      if (event.startsWith('item:')) expect(detail).toMatchObject({ type: 'ticket', id: 1 });
      if (event.startsWith('collection:')) expect(detail).toMatchObject({ name: 'tickets' });
    }
    const seen = new Set(events.map(({ event }) => event));
    for (const kind of ['item', 'collection']) {
      for (const end of [
        'fetch:intent',
        'fetch:success',
        'fetch:error',
        'fetch:complete',
        'fetch:skip',
        'cache-hit',
      ]) {
        expect(seen).toContain(`${kind}:${end}`);
      }
    }
  });

  it('are removed by their own unsubscribe function only, which may be called twice', () => {
    const { dl } = createWorld();
    dl.createType('ticket', { fetch: (id) => ({ id }) });
    const seen: string[] = [];
    const stops = ['a', 'b'].map((name) => dl.onLifecycle('item:fetch:intent', () => void seen.push(name)));
    stops[0]!();
    stops[0]!();
    dl.fetchItem('ticket', 1);
    expect(seen).toEqual(['b']);
  });

  it('are called twice if subscribed twice', () => {
    const { dl } = createWorld();
    dl.createType('ticket', { fetch: (id) => ({ id }) });
    let calls = 0;
    const callback = (): void => void (calls += 1);
    const stop = dl.onLifecycle('item:fetch:intent', callback);
    dl.onLifecycle('item:fetch:intent', callback);
    dl.fetchItem('ticket', 1);
    expect(calls).toBe(2);
    stop();
    dl.fetchItem('ticket', 2);
    expect(calls).toBe(3);
  });

  it('are still called after another callback threw, and the error is logged', () => {
    const { dl, sim } = createWorld();
    dl.createType('ticket', { fetch: (id) => ({ id }) });
    let calls = 0;
    dl.onLifecycle('item:fetch:intent', () => {
      throw new Error('a callback');
    });
    dl.onLifecycle('item:fetch:intent', () => void (calls += 1));
    expect(() => dl.fetchItem('ticket', 1)).not.toThrow();
    expect(calls).toBe(1);
    expect(sim.log.filter(({ level }) => level === 'error')).toHaveLength(1);
  });
});

describe('D-NAME-5 a function of the application that should return a value', () => {
  it.each<[option: string, config: object]>([
    ['getId', { getId: () => Promise.reject(new Error('no id')) }],
    [
      'checkIfExists',
      { levels: { full: { fetch: () => 1, checkIfExists: () => Promise.reject(new Error('no')) } } },
    ],
    [
      'retryOn',
      {
        bulkFetch: () => Promise.reject(new Error('down')),
        retry: { attempts: 1, retryOn: () => Promise.reject(new Error('no')) },
      },
    ],
  ])('may reject: %s', async (_option, config) => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    onTestFinished(() => void process.off('unhandledRejection', unhandled));
    const { dl, sim } = createWorld();
    dl.createType('ticket', {
      fetch: (id: Id) => ({ id }),
      bulkFetch: (ids: Id[]) => ids.map((id) => ({ id })),
      levelConversionMap: { default: ['full'] },
      ...config,
    });
    dl.fetchItem('ticket', 1);
    dl.fetchItem('ticket', 2);
    await sim.settled();
    await new Promise(setImmediate); // The platform reports unhandled rejections after the microtasks.
    expect(unhandled).not.toHaveBeenCalled();
  });
});

it('D-NAME-5 the log function may reject when it reports another function that rejected', async () => {
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  onTestFinished(() => void process.off('unhandledRejection', unhandled));
  const shown = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  onTestFinished(() => shown.mockRestore());
  const { dl } = createWorld({ env: () => ({ log: () => Promise.reject(new Error('log service')) }) });
  dl.createType('ticket', { fetch: (id) => ({ id }) });
  dl.onLifecycle('item:fetch:intent', () => Promise.reject(new Error('a callback')));
  dl.fetchItem('ticket', 1);
  await new Promise(setImmediate); // The platform reports unhandled rejections after the microtasks.
  expect(unhandled).not.toHaveBeenCalled();
  expect(shown).toHaveBeenCalledTimes(1);
});
