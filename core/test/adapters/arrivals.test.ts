// Data that is added after a change, with the adapter for TanStack Query.

import { hydrate as hydrateLayer } from '@edict/core/hydration';
import { createDataLayer, type DataLayer } from '@edict/core';
import { connectQueryClient } from '@edict/core/adapters/tanstack-query';
import { createSimulation, type Simulation } from '@edict/core/testing';
import { dehydrate, hydrate, QueryClient, QueryObserver } from '@tanstack/query-core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { requestMs, setup, ticket, type World } from './tanstackQueryWorld.ts';

describe('D-ADAPT-3 missed changes in data that a rendered page or a persister adds later: the query', () => {
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
  ])('is refetched if it replaces older data that a directive marked stale after it %s', async (_, ageMs) => {
    const marked = ({ sim, client, emit }: World): void => {
      client.setQueryData(['ticket', 7], 0, { updatedAt: sim.env.now() - 1000 });
      emit(ticket(7));
    };
    expect(await bringing(ageMs, marked)).toBe(2);
  });

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

    /** Restores the entry, and returns what a component shows after that, and whether it is marked. */
    async function shownAfter(restore: typeof whole, world: World, updatedAt: number) {
      const { sim, client, show } = world;
      restore(world, updatedAt);
      await sim.advance(10);
      const seven = show('ticket', 7);
      await sim.advance(500);
      return [seven.value(), client.getQueryState(['ticket', 7])?.isInvalidated];
    }

    describe.each([
      ['the whole cache', whole],
      ['one query', ofQuery],
    ])('%s', (_what, restore) => {
      it('is refetched if a directive named it since', async () => {
        const world = await setup({}, 'init', Date.UTC(2026, 0, 1));
        const { sim, truth, emit } = world;
        const updatedAt = sim.now();
        await sim.advance(10_000);
        truth.value = 2;
        emit(ticket(7));
        await sim.advance(10_000);
        expect(await shownAfter(restore, world, updatedAt)).toEqual([2, false]);
      });

      it('is refetched if it is older than the adapter', async () => {
        const world = await setup({}, 'init', Date.UTC(2026, 0, 1));
        world.truth.value = 2;
        expect(await shownAfter(restore, world, world.sim.now() - 3_600_000)).toEqual([2, false]);
      });

      it('is not refetched if no directive named it since', async () => {
        const world = await setup({}, 'init', Date.UTC(2026, 0, 1));
        const { sim, emit } = world;
        await sim.advance(200_000);
        emit(ticket(7));
        await sim.advance(100_000);
        const updatedAt = sim.now();
        await sim.advance(10_000);
        expect(await shownAfter(restore, world, updatedAt)).toEqual(['from the disk', false]);
      });
    });
  });

  it('is not refetched if no directive named it', async () => {
    expect(await bringing(0, ({ emit }) => emit(ticket(8)))).toBe(1);
  });
});
