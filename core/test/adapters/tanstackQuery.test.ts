// The adapter for TanStack Query, with the real package, a simulated hub and simulated time.

import { hydrate as hydrateLayer } from '@edict/core/hydration';
import { createDataLayer, type DataLayer } from '@edict/core';
import { connectQueryClient, type QueryClientOptions } from '@edict/core/adapters/tanstack-query';
import { createSimulation, type Simulation } from '@edict/core/testing';
import {
  dehydrate,
  hydrate,
  InfiniteQueryObserver,
  onlineManager,
  QueryClient,
  QueryObserver,
} from '@tanstack/query-core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

interface World {
  sim: Simulation;
  dl: DataLayer;
  client: QueryClient;
  /** The data of the server. A query returns what it was when the query started. */
  truth: { value: number };
  requests: unknown[];
  /** Shows a query, which makes it active. */
  show: (...key: unknown[]) => { value: () => unknown; isStale: () => boolean; isFetching: () => boolean };
  emit: (directive: object) => void;
  /** Disconnects the adapter. */
  end: () => void;
}

const requestMs = 100;

async function setup(
  options: QueryClientOptions = {},
  init: 'init' | 'later' = 'init',
  startAt?: number,
): Promise<World> {
  const sim = createSimulation(startAt === undefined ? {} : { startAt });
  const dl = createDataLayer({ env: sim.env });
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
  const truth = { value: 1 };
  const requests: unknown[] = [];
  const end = connectQueryClient(dl, client, { env: sim.env, ...options });
  onTestFinished(() => {
    end();
    client.clear();
    dl.dispose();
  });
  const world: World = {
    sim,
    dl,
    client,
    truth,
    requests,
    end,
    show(...queryKey) {
      const observer = new QueryObserver(client, {
        queryKey,
        async queryFn() {
          requests.push(queryKey);
          const { value } = truth;
          await sim.sleep(requestMs);
          return value;
        },
      });
      onTestFinished(observer.subscribe(() => undefined));
      return {
        value: () => observer.getCurrentResult().data,
        isStale: () => observer.getCurrentResult().isStale,
        isFetching: () => observer.getCurrentResult().isFetching,
      };
    },
    emit: (directive) => void sim.hub.emit([directive as { op: 'force_reload_page' }]), // Any directive: the hub passes it on.
  };
  if (init === 'init') {
    dl.init();
    await sim.advance(10);
  }
  return world;
}

const ticket = (id: number, more = {}): object => ({ op: 'refresh_item', name: 'ticket', id, ...more });

describe('a directive', () => {
  it('marks its queries stale immediately, and refetches them when the window closes', async () => {
    const { sim, truth, requests, show, emit } = await setup();
    const [seven, eight] = [show('ticket', 7), show('ticket', 8)];
    await sim.advance(requestMs);
    truth.value = 2;
    emit(ticket(7));
    await sim.advance(0);
    expect([seven.isStale(), eight.isStale(), requests.length]).toEqual([true, false, 2]);
    await sim.advance(50 + requestMs);
    expect([seven.value(), seven.isStale(), eight.value()]).toEqual([2, false, 1]);
    expect(requests).toEqual([
      ['ticket', 7],
      ['ticket', 8],
      ['ticket', 7],
    ]);
  });

  it('causes one refetch together with the other directives of its window', async () => {
    const { sim, requests, show, emit } = await setup();
    show('tickets', { status: 'open' });
    await sim.advance(requestMs);
    for (let count = 0; count < 20; count++) {
      emit({ op: 'refresh_collection', name: 'tickets' });
      await sim.advance(2);
    }
    await sim.advance(500);
    expect(requests).toHaveLength(2);
  });

  it('marks an inactive query stale and sends no request for it', async () => {
    const { sim, client, requests, emit } = await setup();
    client.setQueryData(['ticket', 7], 1);
    emit(ticket(7));
    await sim.advance(500);
    expect(client.getQueryState(['ticket', 7])?.isInvalidated).toBe(true);
    expect(requests).toEqual([]);
  });

  it('D-ADAPT-3 leaves data fresh that the application sets afterwards', async () => {
    const { sim, client, emit } = await setup();
    client.setQueryData(['ticket', 7], 1);
    emit(ticket(7));
    await sim.advance(500);
    client.setQueryData(['ticket', 7], 2);
    expect(client.getQueryState(['ticket', 7])).toMatchObject({ data: 2, isInvalidated: false });
  });

  it('does nothing for data that is not cached', async () => {
    const { sim, client, emit } = await setup();
    emit(ticket(7, { result: 5 }));
    emit({ op: 'refresh_collection', name: 'tickets', params: { page: 1 } });
    await sim.advance(500);
    expect(client.getQueryCache().getAll()).toEqual([]);
  });

  it('is applied once if it arrives in a response and on the stream', async () => {
    const { sim, dl, requests, show } = await setup();
    show('ticket', 7);
    await sim.advance(requestMs);
    sim.route('POST /tickets/7', ({ clientId }) => ({
      directives: sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 7 }], { source: clientId }),
    }));
    sim.link.delay(10);
    const answered = dl.fetch('/tickets/7', { method: 'POST' });
    await sim.advance(500);
    await answered;
    expect(requests).toHaveLength(2);
  });

  it('is applied in a wrapper and in the client shape', async () => {
    const { sim, requests, show, dl, emit } = await setup();
    show('ticket', 7);
    show('tickets');
    await sim.advance(requestMs);
    emit({ op: 'invalidate', targets: [ticket(7)] });
    await sim.advance(200);
    expect(requests.slice(2)).toEqual([['ticket', 7]]);
    void dl.applyDirectives([
      { op: 'refresh', name: 'tickets' },
      { op: 'invalidate', kind: 'item', name: 'ticket' },
    ]);
    await sim.advance(200);
    expect(requests.slice(3)).toEqual([['ticket', 7], ['tickets']]);
  });

  it('D-REG-6 that names the default level reaches a key without a level, but no other level', async () => {
    const { sim, requests, show, emit } = await setup();
    show('ticket', 7);
    show('ticket', 7, 'full');
    await sim.advance(requestMs);
    emit(ticket(7, { level: 'default' }));
    await sim.advance(200);
    expect(requests.slice(2)).toEqual([['ticket', 7]]);
  });

  it('D-DIR-1 in the legacy shape with a level and no id reaches every item', async () => {
    const { sim, requests, show, dl } = await setup();
    show('ticket', 7, 'full');
    await sim.advance(requestMs);
    void dl.applyDirectives([{ op: 'invalidate', kind: 'item', name: 'ticket', level: 'full' }]);
    await sim.advance(200);
    expect(requests.slice(1)).toEqual([['ticket', 7, 'full']]);
  });

  it('is ignored after the adapter was disconnected', async () => {
    const sim = createSimulation();
    const dl = createDataLayer({ env: sim.env });
    const client = new QueryClient();
    const end = connectQueryClient(dl, client, { env: sim.env });
    client.setQueryData(['ticket', 7], 1);
    void dl.applyDirectives([ticket(7)]);
    end();
    client.setQueryData(['ticket', 8], 1);
    void dl.applyDirectives([ticket(8)]);
    await sim.advance(500);
    expect(client.getQueryState(['ticket', 8])?.isInvalidated).toBe(false);
    client.clear();
    dl.dispose();
    expect(sim.pendingTimers()).toBe(0);
  });
});

describe('a change while a request is in flight', () => {
  it('is lost by invalidateQueries alone during the first load: the old value is shown as fresh', async () => {
    const { sim, client, truth, show } = await setup();
    const seven = show('ticket', 7);
    await sim.advance(requestMs / 2);
    truth.value = 2;
    void client.invalidateQueries({ queryKey: ['ticket', 7] });
    await sim.advance(1000);
    expect([seven.value(), seven.isStale(), seven.isFetching()]).toEqual([1, false, false]);
  });

  it('D-FETCH-2 during the first load causes one follow-up, and the old value is stale until then', async () => {
    const { sim, truth, requests, show, emit } = await setup();
    const seven = show('ticket', 7);
    await sim.advance(requestMs / 2);
    truth.value = 2;
    emit(ticket(7));
    emit(ticket(7));
    await sim.advance(requestMs / 2);
    expect([seven.value(), seven.isStale()]).toEqual([1, true]);
    await sim.advance(50 + requestMs);
    expect([seven.value(), seven.isStale(), requests.length]).toEqual([2, false, 2]);
  });

  it('D-FETCH-2 does not starve the screen under a steady stream of changes', async () => {
    const { sim, truth, requests, show, emit } = await setup({ delayMs: 0 });
    const seven = show('ticket', 7);
    await sim.advance(requestMs);
    const shown = new Set<unknown>();
    for (let value = 2; value < 42; value++) {
      truth.value = value;
      emit(ticket(7));
      await sim.advance(25);
      shown.add(seven.value());
    }
    await sim.advance(3 * requestMs);
    expect([seven.value(), seven.isStale()]).toEqual([41, false]);
    expect(shown.size).toBeGreaterThan(8);
    expect(requests.length).toBeLessThan(14);
  });

  it('causes no second request when the request started after it', async () => {
    const { sim, client, truth, requests, show, emit } = await setup();
    client.setQueryData(['ticket', 7], 1);
    truth.value = 2;
    emit(ticket(7));
    await sim.advance(10);
    const seven = show('ticket', 7);
    await sim.advance(500);
    expect([seven.value(), requests.length]).toEqual([2, 1]);
  });

  /** An infinite query. Each page contains the value of the server at its request. */
  async function infinite() {
    const world = await setup();
    const { sim, client, truth } = world;
    const observer = new InfiniteQueryObserver(client, {
      queryKey: ['tickets'],
      initialPageParam: 0,
      getNextPageParam: (_last: string, all: readonly string[]) => all.length,
      async queryFn({ pageParam }) {
        const { value } = truth;
        await sim.sleep(requestMs);
        return `page ${pageParam} of ${value}`;
      },
    });
    return { ...world, observer };
  }

  it.each([
    ['before the refetch', 10],
    ['during the refetch', 100],
  ])('is not lost when an infinite query fetches one more page, %s', async (_when, ms) => {
    const { sim, truth, emit, observer } = await infinite();
    onTestFinished(observer.subscribe(() => undefined));
    await sim.advance(requestMs);
    truth.value = 2;
    emit({ op: 'refresh_collection', name: 'tickets' });
    await sim.advance(ms);
    void observer.fetchNextPage();
    await sim.advance(1000);
    expect(observer.getCurrentResult().data?.pages).toEqual(['page 0 of 2', 'page 1 of 2']);
  });

  it('is not lost when an infinite query fetches one more page during its first refetch after it was hidden', async () => {
    const { sim, truth, emit, observer } = await infinite();
    const hide = observer.subscribe(() => undefined);
    await sim.advance(requestMs);
    hide();
    truth.value = 2;
    emit({ op: 'refresh_collection', name: 'tickets' });
    await sim.advance(1000);
    onTestFinished(observer.subscribe(() => undefined));
    await sim.advance(requestMs / 2);
    void observer.fetchNextPage();
    await sim.advance(1000);
    expect(observer.getCurrentResult().data?.pages).toEqual(['page 0 of 2', 'page 1 of 2']);
  });

  it('is not lost when an infinite query fetches one more page after its refetch was canceled', async () => {
    const { sim, client, truth, emit, observer } = await infinite();
    onTestFinished(observer.subscribe(() => undefined));
    await sim.advance(requestMs);
    truth.value = 2;
    emit({ op: 'refresh_collection', name: 'tickets' });
    await sim.advance(100);
    await client.cancelQueries({ queryKey: ['tickets'] });
    void observer.fetchNextPage();
    await sim.advance(1000);
    expect(observer.getCurrentResult().data?.pages).toEqual(['page 0 of 2', 'page 1 of 2']);
  });

  describe('D-ADAPT-4 that never responds', () => {
    async function hanging() {
      const world = await setup();
      const { sim, client } = world;
      let calls = 0;
      const server = { ms: Infinity, value: 1 };
      const observer = new QueryObserver(client, {
        queryKey: ['ticket', 7],
        async queryFn() {
          calls++;
          const { value, ms } = server;
          if (ms === Infinity) return new Promise<number>(() => undefined);
          await sim.sleep(ms);
          return value;
        },
      });
      return {
        ...world,
        server,
        observer,
        calls: () => calls,
        show: () => onTestFinished(observer.subscribe(() => undefined)),
        showOther: () => world.show('ticket', 8),
        value: () => observer.getCurrentResult().data,
      };
    }

    it.each(['the first', 'a later one'])('is replaced after 30 seconds: %s', async (which) => {
      const { sim, server, emit, value, show, showOther, client, calls } = await hanging();
      if (which !== 'the first') client.setQueryData(['ticket', 7], 0);
      show();
      if (which !== 'the first') {
        emit(ticket(7));
        await sim.advance(100);
      }
      await sim.advance(1000);
      emit(ticket(7));
      await sim.advance(100);
      Object.assign(server, { ms: requestMs, value: 2 });
      await sim.advance(28_820);
      expect(calls()).toBe(1);
      const other = showOther(); // Its request is in flight after 30 seconds.
      await sim.advance(2000);
      expect([value(), calls(), other.value()]).toEqual([2, 2, 1]);
    });

    it('is replaced even if it was in flight when the adapter connected', async () => {
      const sim = createSimulation();
      const dl = createDataLayer({ env: sim.env });
      const client = new QueryClient();
      let calls = 0;
      const queryFn = (): unknown => (++calls === 1 ? new Promise(() => undefined) : 2);
      const observer = new QueryObserver(client, { queryKey: ['ticket', 7], queryFn });
      onTestFinished(observer.subscribe(() => undefined));
      onTestFinished(connectQueryClient(dl, client, { env: sim.env }));
      await sim.advance(31_000);
      expect(observer.getCurrentResult().data).toBe(2);
    });

    it('is not replaced if nothing changed since', async () => {
      const { sim, show, calls } = await hanging();
      show();
      await sim.advance(600_000);
      expect(calls()).toBe(1);
      expect(sim.pendingTimers()).toBeLessThan(3); // The stream's own.
    });

    it('is replaced only when a component shows it', async () => {
      const { sim, client, observer, server, emit, show, value } = await hanging();
      const prefetched = client.fetchQuery(observer.options);
      let failed: unknown = null;
      prefetched.catch((error: unknown) => (failed = error));
      emit(ticket(7));
      await sim.advance(100_000);
      expect(failed).toBeNull();
      Object.assign(server, { ms: requestMs, value: 2 });
      show();
      await sim.advance(600_000);
      expect(value()).toBe(2);
    });

    it('is not replaced under a steady stream of changes if it is only slow', async () => {
      const { sim, server, emit, show, value } = await hanging();
      server.ms = 40_000;
      show();
      for (let count = 2; count < 20; count++) {
        emit(ticket(7));
        server.value = count;
        await sim.advance(10_000);
      }
      expect(value()).toBeGreaterThan(1);
      await sim.advance(100_000);
      expect(value()).toBe(19);
    });

    it('is replaced after 30 seconds again once a slow one has succeeded', async () => {
      const { sim, server, emit, show, value, calls } = await hanging();
      show();
      emit(ticket(7));
      server.ms = 20_000;
      await sim.advance(31_000);
      emit(ticket(7));
      Object.assign(server, { ms: Infinity, value: 2 });
      await sim.advance(21_000);
      emit(ticket(7));
      server.ms = requestMs;
      await sim.advance(27_000);
      expect([value(), calls()]).toEqual([1, 3]);
      await sim.advance(3000);
      expect([value(), calls()]).toEqual([2, 4]);
    });

    it('is replaced after 30 seconds if it was pending in a rendered page and a directive named it before', async () => {
      const { sim, client, emit, show } = await setup();
      const there = new QueryClient({
        defaultOptions: { dehydrate: { shouldDehydrateQuery: () => true } },
      });
      void there.prefetchQuery({ queryKey: ['ticket', 7], queryFn: () => new Promise(() => undefined) });
      emit(ticket(7));
      await sim.advance(100);
      hydrate(client, dehydrate(there));
      const seven = show('ticket', 7);
      await sim.advance(29_000);
      expect(seven.value()).toBeUndefined();
      await sim.advance(2000);
      expect(seven.value()).toBe(1);
    });

    it('is replaced 30 seconds after the network returned, if it waited for that', async () => {
      const { sim, client, emit, show, calls } = await hanging();
      client.mount();
      onlineManager.setOnline(false);
      onTestFinished(() => {
        onlineManager.setOnline(true);
        client.unmount();
      });
      show();
      emit(ticket(7));
      await sim.advance(60_000);
      onlineManager.setOnline(true);
      await sim.advance(29_000);
      expect(calls()).toBe(1);
      await sim.advance(2000);
      expect(calls()).toBe(2);
    });

    it('is not replaced early if the application has sent it in place of an earlier one', async () => {
      const { sim, client, emit, server, show, value, calls } = await hanging();
      client.setQueryData(['ticket', 7], 0);
      show();
      for (let count = 0; count < 2; count++) {
        emit(ticket(7));
        await sim.advance(100);
      }
      await sim.advance(20_000);
      server.ms = 20_000;
      void client.invalidateQueries();
      await sim.advance(100);
      emit(ticket(7));
      await sim.advance(20_000);
      expect([value(), calls()]).toEqual([1, 3]); // The third one follows it.
    });

    it('does not take the time of an earlier request into account', async () => {
      const { sim, server, emit, show, calls } = await hanging();
      server.ms = 20_000;
      show();
      for (let count = 0; count < 12; count++) {
        emit(ticket(7));
        await sim.advance(3000);
      }
      expect(calls()).toBe(2);
    });

    it('leaves no timer when the data layer is disposed', async () => {
      const { sim, dl, client, emit, show } = await hanging();
      show();
      emit(ticket(7));
      await sim.advance(1000);
      emit(ticket(7));
      await sim.advance(10);
      dl.dispose();
      client.setQueryData(['ticket', 8], 1, { updatedAt: 1 });
      expect(sim.pendingTimers()).toBe(0);
    });
  });

  it('is requested again when the request fails', async () => {
    const { sim, client, emit } = await setup();
    let calls = 0;
    const observer = new QueryObserver(client, {
      queryKey: ['ticket', 7],
      async queryFn() {
        const call = ++calls;
        await sim.sleep(requestMs);
        if (call === 1) throw new Error('down');
        return 'up';
      },
    });
    onTestFinished(observer.subscribe(() => undefined));
    await sim.advance(requestMs / 2);
    emit(ticket(7));
    await sim.advance(500);
    expect([calls, observer.getCurrentResult().data]).toEqual([2, 'up']);
  });
});

describe('missed changes', () => {
  it('D-SSE-9 are refetched by a resync when a message was lost', async () => {
    const { sim, truth, requests, show, emit, client } = await setup({
      owns: ([name]) => name !== 'weather',
    });
    const seven = show('ticket', 7);
    show('weather');
    client.setQueryData(['ticket', 9], 1);
    await sim.advance(requestMs);
    truth.value = 2;
    sim.hub.lose();
    emit(ticket(8));
    await sim.advance(3500 + requestMs);
    expect(seven.value()).toBe(2);
    expect(client.getQueryState(['ticket', 9])?.isInvalidated).toBe(true);
    expect(requests).toHaveLength(3);
  });

  it('D-SSE-8 are replayed when they happened between the first query and the first connection', async () => {
    const { sim, dl, truth, show, emit } = await setup({}, 'later');
    const seven = show('ticket', 7);
    await sim.advance(requestMs);
    truth.value = 2;
    emit(ticket(7));
    await sim.advance(4000);
    expect(seven.value()).toBe(1);
    dl.init();
    await sim.advance(500);
    expect(seven.value()).toBe(2);
  });

  it('D-SSE-8 are replayed for the oldest data of several caches, in any order of connection', async () => {
    const sim = createSimulation({ startAt: Date.UTC(2026, 0, 1) });
    const dl = createDataLayer({ env: sim.env });
    const asked: string[] = [];
    dl.onLifecycle('sse:connecting', ({ detail }) => void asked.push(detail.url));
    const older = new QueryClient();
    older.setQueryData(['ticket', 7], 1, { updatedAt: sim.env.now() - 5000 });
    connectQueryClient(dl, new QueryClient(), { env: sim.env });
    await sim.advance(1);
    connectQueryClient(dl, older, { env: sim.env });
    dl.init();
    await sim.advance(0);
    expect(asked).toEqual([expect.stringMatching(/since_ms=65001$/)]);
  });

  it.each<[string, boolean]>([
    ['was cached before the adapter connected', true],
    ['entered after it', false],
  ])('D-ADAPT-3 are replayed if they happened while the data that %s was requested', async (_, isFirst) => {
    const sim = createSimulation({ startAt: Date.UTC(2026, 0, 1) });
    await sim.advance(100_000);
    sim.hub.emit([ticket(7) as { op: 'force_reload_page' }]); // After the server has read the data.
    await sim.advance(5000);
    const dl = createDataLayer({ env: sim.env });
    const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
    const enter = (): unknown => client.setQueryData(['ticket', 7], 1, { updatedAt: sim.now() });
    if (isFirst) enter();
    onTestFinished(connectQueryClient(dl, client, { env: sim.env }));
    if (!isFirst) enter();
    const observer = new QueryObserver(client, { queryKey: ['ticket', 7], queryFn: () => 2 });
    onTestFinished(observer.subscribe(() => undefined));
    dl.init();
    await sim.advance(1000);
    expect(observer.getCurrentResult().data).toBe(2);
  });

  it('D-REACT-10 are replayed from the position that a rendered page contains', async () => {
    const { sim, dl, client, truth, show, emit } = await setup({}, 'later');
    const cursors = [sim.hub.cursor()];
    client.setQueryData(['ticket', 7], 1);
    client.setQueryData(['ticket', 8], 1);
    truth.value = 2;
    emit(ticket(7));
    await sim.advance(20_000);
    hydrateLayer(dl, { v: 1, items: [], collections: [], cursors });
    const [seven, eight] = [show('ticket', 7), show('ticket', 8)];
    dl.init();
    await sim.advance(10_000);
    expect([seven.value(), eight.value()]).toEqual([2, 1]);
  });

  describe('D-ADAPT-3 in data that a rendered page or a persister adds later: the query', () => {
    /** Adds data of another client after some time, and returns what the query shows. */
    async function bringing(ageMs: number, between: (world: World) => unknown) {
      const world = await setup({}, 'init', Date.UTC(2026, 0, 1));
      const { sim, client, truth, show } = world;
      const there = new QueryClient();
      there.setQueryData(['ticket', 7], 1, { updatedAt: sim.env.now() - ageMs });
      truth.value = 2;
      await between(world);
      await sim.advance(500);
      hydrate(client, dehydrate(there));
      const seven = show('ticket', 7);
      await sim.advance(500);
      return seven.value();
    }

    it.each<[string, number, (world: World) => unknown]>([
      ['a directive named it before it arrived', 0, ({ emit }) => emit(ticket(7))],
      [
        'a resync ran before it arrived',
        0,
        ({ sim, emit }) => {
          sim.hub.lose();
          emit(ticket(8));
          return sim.advance(3500);
        },
      ],
      [
        'a directive named it before a thousand others',
        0,
        ({ sim }) => {
          const ids = Array.from({ length: 1001 }, (_, index) => 7 + index);
          sim.hub.emit(ids.map((id) => ({ op: 'refresh_item', name: 'ticket', id })));
        },
      ],
      ['it is much older than the adapter', 600_000, () => undefined],
    ])('is refetched if %s', async (_, ageMs, between) => {
      expect(await bringing(ageMs, between)).toBe(2);
    });

    it.each(['before the stream connects', 'while the stream is open'])(
      'D-SSE-8 is refetched if it is older than a change that the stream does not replay: it arrives %s',
      async (when) => {
        const sim = createSimulation({ startAt: Date.UTC(2026, 0, 1) });
        await sim.advance(100_000);
        const there = new QueryClient();
        there.setQueryData(['ticket', 7], 1, { updatedAt: sim.env.now() });
        await sim.advance(5000);
        sim.hub.emit([ticket(7) as { op: 'force_reload_page' }]);
        await sim.advance(20_000);
        const dl = createDataLayer({ env: sim.env });
        const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
        onTestFinished(connectQueryClient(dl, client, { env: sim.env }));
        if (when.endsWith('open')) {
          dl.init();
          await sim.advance(500);
        }
        hydrate(client, dehydrate(there));
        dl.init();
        await sim.advance(500);
        const observer = new QueryObserver(client, { queryKey: ['ticket', 7], queryFn: () => 2 });
        onTestFinished(observer.subscribe(() => undefined));
        await sim.advance(500);
        expect(observer.getCurrentResult().data).toBe(2);
      },
    );

    it.each<[string, (sim: Simulation, dl: DataLayer) => unknown]>([
      [
        'the page contains the position of the stream',
        (sim, dl) => {
          hydrateLayer(dl, { v: 1, items: [], collections: [], cursors: [sim.hub.cursor()] });
          dl.init();
          return sim.advance(500);
        },
      ],
    ])('is not refetched if %s, because missed changes are replayed', async (_, begin) => {
      const sim = createSimulation({ startAt: Date.UTC(2026, 0, 1) });
      await sim.advance(10_000);
      const dl = createDataLayer({ env: sim.env });
      const [there, client] = [new QueryClient(), new QueryClient()];
      there.setQueryData(['ticket', 7], 1, { updatedAt: sim.env.now() - 1000 });
      onTestFinished(connectQueryClient(dl, client, { env: sim.env }));
      await begin(sim, dl);
      hydrate(client, dehydrate(there));
      await sim.advance(5000);
      expect(dl.state().sse.connected).toBe(true);
      expect(client.getQueryState(['ticket', 7])).toMatchObject({ data: 1, isInvalidated: false });
    });

    it('is refetched if it was pending in the page and a directive named it before', async () => {
      const { sim, client, requests, truth, show, emit } = await setup();
      const there = new QueryClient({
        defaultOptions: { dehydrate: { shouldDehydrateQuery: () => true } },
      });
      for (const id of [7, 8])
        void there.prefetchQuery({ queryKey: ['ticket', id], queryFn: () => sim.sleep(300).then(() => 1) });
      truth.value = 2;
      emit(ticket(7));
      await sim.advance(100);
      hydrate(client, dehydrate(there));
      const [seven, eight] = [show('ticket', 7), show('ticket', 8)];
      await sim.advance(250);
      expect([seven.value(), seven.isStale()]).toEqual([1, true]);
      await sim.advance(500);
      expect([seven.value(), seven.isStale(), eight.isStale()]).toEqual([2, false, false]);
      expect(requests).toEqual([['ticket', 7]]);
    });

    it.each([
      ['was read', 1],
      ['was sent by a server whose clock is ahead', -1000],
    ])(
      'is refetched if it replaces older data that a directive marked stale after it %s',
      async (_, ageMs) => {
        const marked = ({ sim, client, emit }: World): void => {
          client.setQueryData(['ticket', 7], 0, { updatedAt: sim.env.now() - 1000 });
          emit(ticket(7));
        };
        expect(await bringing(ageMs, marked)).toBe(2);
      },
    );

    it('is refetched if it replaces a newer response, although its date is after the start of that request', async () => {
      const { sim, client, truth, show, emit } = await setup({}, 'init', Date.UTC(2026, 0, 1));
      const clock = vi.spyOn(Date, 'now').mockImplementation(() => sim.now());
      onTestFinished(() => clock.mockRestore());
      const seven = show('ticket', 7);
      await sim.advance(requestMs);
      truth.value = 2;
      emit(ticket(7));
      await sim.advance(60); // The refetch has started.
      const updatedAt = sim.now();
      await sim.advance(requestMs);
      client.setQueryData(['ticket', 7], 1, { updatedAt }); // It was read before the change.
      await sim.advance(500);
      expect([seven.value(), seven.isStale()]).toEqual([2, false]);
    });

    it('is not refetched if it was refetched after the directive', async () => {
      const { sim, client, requests, truth, show, emit } = await setup({}, 'init', Date.UTC(2026, 0, 1));
      const clock = vi.spyOn(Date, 'now').mockImplementation(() => sim.now());
      onTestFinished(() => clock.mockRestore());
      show('ticket', 7);
      await sim.advance(requestMs);
      truth.value = 2;
      emit(ticket(7));
      await sim.advance(500);
      const there = new QueryClient(); // Another window of the same browser.
      there.setQueryData(['ticket', 7], 2, { updatedAt: sim.env.now() + 1000 });
      hydrate(client, dehydrate(there));
      await sim.advance(500);
      expect(requests).toHaveLength(2);
      expect(client.getQueryState(['ticket', 7])).toMatchObject({ data: 2, isInvalidated: false });
    });

    it('is refetched at most ten times a minute if every response is answered with other data', async () => {
      const { sim, client, requests, show, emit } = await setup({}, 'init', Date.UTC(2026, 0, 1));
      const clock = vi.spyOn(Date, 'now').mockImplementation(() => sim.now());
      onTestFinished(() => clock.mockRestore());
      show('ticket', 7);
      await sim.advance(requestMs);
      // Another tab sends its response, which contains the time.
      const end = client.getQueryCache().subscribe(({ query, type }) => {
        if (type === 'updated' && query.state.data === 1)
          void Promise.resolve().then(() =>
            query.setState({ data: { at: sim.now() }, dataUpdatedAt: sim.now() }),
          );
      });
      onTestFinished(end);
      emit(ticket(7));
      await sim.advance(10_000);
      expect(requests).toHaveLength(12); // The first one, that of the directive, and ten.
      expect(client.getQueryState(['ticket', 7])?.isInvalidated).toBe(true);
      await sim.advance(60_000);
      emit(ticket(7));
      await sim.advance(10_000);
      expect(requests).toHaveLength(23);
    });

    it('is refetched if a directive named it before the adapter connected to an open stream', async () => {
      const { sim, dl, emit } = await setup({}, 'init', Date.UTC(2026, 0, 1));
      const updatedAt = sim.now();
      await sim.advance(1000);
      emit(ticket(7));
      await sim.advance(1000);
      const client = new QueryClient();
      onTestFinished(connectQueryClient(dl, client, { env: sim.env }));
      client.setQueryData(['ticket', 7], 1, { updatedAt });
      expect(client.getQueryState(['ticket', 7])?.isInvalidated).toBe(true);
    });

    describe('restored by a persister instead of a request', () => {
      /** Restores the entry like `restoreQueries` of TanStack's persister. */
      const whole = ({ client }: World, updatedAt: number): void =>
        void client.setQueryData(['ticket', 7], 'from the disk', { updatedAt });

      /** Restores the entry like the `persister` of a query, instead of its query function. */
      function ofQuery({ sim, client }: World, updatedAt: number): void {
        const observer = new QueryObserver(client, {
          queryKey: ['ticket', 7],
          queryFn: (): unknown => 2,
          async persister(queryFn, context, query) {
            if (query.state.data !== undefined) return queryFn(context);
            await sim.sleep(5);
            sim.env.setTimeout(() => query.setState({ dataUpdatedAt: updatedAt }), 0);
            return 'from the disk';
          },
        });
        onTestFinished(observer.subscribe(() => undefined));
      }

      it.each([
        ['the whole cache', whole],
        ['one query', ofQuery],
      ])('is refetched if a directive named it since: %s', async (_what, restore) => {
        const world = await setup({}, 'init', Date.UTC(2026, 0, 1));
        const { sim, client, truth, emit } = world;
        const updatedAt = sim.now();
        await sim.advance(10_000);
        truth.value = 2;
        emit(ticket(7));
        await sim.advance(10_000);
        restore(world, updatedAt);
        await sim.advance(10);
        const seven = world.show('ticket', 7);
        await sim.advance(500);
        expect([seven.value(), client.getQueryState(['ticket', 7])?.isInvalidated]).toEqual([2, false]);
      });

      it.each([
        ['the whole cache', whole],
        ['one query', ofQuery],
      ])('is refetched if it is older than the adapter: %s', async (_what, restore) => {
        const world = await setup({}, 'init', Date.UTC(2026, 0, 1));
        const { sim, client, truth } = world;
        truth.value = 2;
        restore(world, sim.now() - 3_600_000);
        await sim.advance(10);
        const seven = world.show('ticket', 7);
        await sim.advance(500);
        expect([seven.value(), client.getQueryState(['ticket', 7])?.isInvalidated]).toEqual([2, false]);
      });

      it.each([
        ['the whole cache', whole],
        ['one query', ofQuery],
      ])('is not refetched if no directive named it since: %s', async (_what, restore) => {
        const world = await setup({}, 'init', Date.UTC(2026, 0, 1));
        const { sim, emit } = world;
        await sim.advance(200_000);
        emit(ticket(7));
        await sim.advance(100_000);
        const updatedAt = sim.now();
        await sim.advance(10_000);
        restore(world, updatedAt);
        await sim.advance(10);
        const seven = world.show('ticket', 7);
        await sim.advance(500);
        expect(seven.value()).toBe('from the disk');
      });
    });

    it('is not refetched if no directive named it', async () => {
      expect(await bringing(0, ({ emit }) => emit(ticket(8)))).toBe(1);
    });
  });

  it('are refetched once when the adapter connects to an open stream', async () => {
    const { sim, dl, client, truth, requests, end, show } = await setup();
    end();
    const seven = show('ticket', 7);
    await sim.advance(requestMs);
    truth.value = 2;
    onTestFinished(connectQueryClient(dl, client, { env: sim.env }));
    await sim.advance(500);
    expect([seven.value(), requests.length]).toEqual([2, 2]);
  });
});

describe('an inline result', () => {
  const itemData = (_type: string, _id: unknown, _level: string | null, result: unknown): unknown => result;

  it('causes a refetch without `itemData`', async () => {
    const { sim, truth, requests, show, emit } = await setup();
    const seven = show('ticket', 7);
    await sim.advance(requestMs);
    truth.value = 2;
    emit(ticket(7, { result: 99 }));
    await sim.advance(500);
    expect([seven.value(), requests.length]).toEqual([2, 2]);
  });

  it('is shown without a request, and other levels are refetched', async () => {
    const { sim, requests, show, emit } = await setup({ itemData });
    const [seven, full] = [show('ticket', 7), show('ticket', 7, 'full')];
    await sim.advance(requestMs);
    emit(ticket(7, { result: 2 }));
    await sim.advance(500);
    expect([seven.value(), seven.isStale(), full.value()]).toEqual([2, false, 1]);
    expect(requests.slice(2)).toEqual([['ticket', 7, 'full']]);
  });

  it('D-DIR-9 causes a refetch when a newer directive arrived before', async () => {
    const { sim, dl, truth, show, emit } = await setup({ itemData });
    const seven = show('ticket', 7);
    await sim.advance(requestMs);
    const { seq } = sim.hub.cursor();
    truth.value = 3;
    emit(ticket(8));
    emit(ticket(8));
    await sim.advance(10);
    void dl.applyDirectives([ticket(7, { result: 2, seq: seq + 1 })], { path: 'pull' });
    expect(seven.value()).toBe(1);
    await sim.advance(500);
    expect(seven.value()).toBe(3);
  });

  it('replaces the refetch of an earlier directive and is fresh', async () => {
    const { sim, requests, show, emit } = await setup({ itemData });
    const seven = show('ticket', 7);
    await sim.advance(requestMs);
    emit(ticket(7));
    emit(ticket(7, { result: 2 }));
    await sim.advance(500);
    expect([seven.value(), seven.isStale(), requests.length]).toEqual([2, false, 1]);
  });

  it('causes a refetch when it has no sequence number', async () => {
    const { sim, dl, truth, show } = await setup({ itemData });
    const seven = show('ticket', 7);
    await sim.advance(requestMs);
    truth.value = 3;
    void dl.applyDirectives([ticket(7, { result: 2 })]);
    await sim.advance(500);
    expect(seven.value()).toBe(3);
  });

  it('is not replaced by the response of a request in flight', async () => {
    const { sim, truth, show, emit } = await setup({ itemData });
    const seven = show('ticket', 7);
    await sim.advance(requestMs / 2);
    truth.value = 2;
    emit(ticket(7, { result: 2 }));
    await sim.advance(500);
    expect([seven.value(), seven.isStale()]).toEqual([2, false]);
  });

  it('of a collection is stored in the query with exactly its params', async () => {
    const { sim, requests, show, emit } = await setup({
      collectionData: (_name, _params, result) => (result as { count: number }).count,
    });
    const [open, all] = [show('tickets', { status: 'open' }), show('tickets')];
    await sim.advance(requestMs);
    emit({
      op: 'refresh_collection',
      name: 'tickets',
      params: { status: 'open' },
      result: { ids: [1, 2, 3], count: 3 },
    });
    await sim.advance(500);
    expect([open.value(), all.value(), requests.length]).toEqual([3, 1, 2]);
  });
});

describe('connectQueryClient', () => {
  const client = new QueryClient();
  it.each<[string, (dl: DataLayer) => unknown[], string]>([
    ['no data layer', () => [undefined, client], 'the first argument must be a data layer'],
    ['swapped arguments', (dl) => [client, dl], 'the first argument must be a data layer'],
    ['no client', (dl) => [dl, {}], 'the second argument must be a QueryClient, but it is an object'],
    [
      'a misspelled option',
      (dl) => [dl, client, { itme: () => [] }],
      'itme is not an option. Use one of: item',
    ],
    ['an option of another type', (dl) => [dl, client, { item: [] }], 'item must be a function'],
    ['no options', (dl) => [dl, client, null], 'the options must be an object, but it is null'],
  ])('throws an error that names the problem: %s', (_, given, message) => {
    const { createDataLayer: make } = createSimulation();
    const connect = connectQueryClient as (...all: unknown[]) => void;
    expect(() => connect(...given(make()))).toThrow(`connectQueryClient: ${message}`);
  });
});
