// The adapter for TanStack Query, with the real package, a simulated hub and simulated time.

import { hydrate as hydrateLayer } from '@edict/core/hydration';
import { createDataLayer, type DataLayer } from '@edict/core';
import { connectQueryClient } from '@edict/core/adapters/tanstack-query';
import { createSimulation } from '@edict/core/testing';
import { InfiniteQueryObserver, QueryClient, QueryObserver } from '@tanstack/query-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { requestMs, setup, ticket } from './tanstackQueryWorld.ts';

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
