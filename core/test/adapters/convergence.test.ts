// After any faults, a TanStack Query cache behind the adapter has the data of the server.

import { connectQueryClient } from '@edict/core/adapters/tanstack-query';
import { dehydrate, hydrate, QueryClient, QueryObserver } from '@tanstack/query-core';
import { createScene, endsWithTheTruth } from './chance.ts';

endsWithTheTruth(async (seed) => {
  const { sim, dl, draw, isCalm, respond, emit, play, heal } = createScene(seed, () => [write(1 + draw(4))]);
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
  const end = connectQueryClient(dl, client, {
    env: sim.env,
    itemData: (_type, _id, _level, result) => result,
  });
  const truth = new Map([1, 2, 3, 4].map((id) => [id, 0]));
  const shown = new Map<number, () => void>();
  const cancelled = new Set<number>();

  function write(id: number): object[] {
    const value = (truth.get(id) ?? 0) + 1;
    truth.set(id, value);
    return [{ op: 'refresh_item', name: 'ticket', id, ...(sim.random() < 0.3 && { result: value }) }];
  }
  function toggle(id: number): void {
    const hide = shown.get(id);
    shown.delete(id);
    if (hide !== undefined) return hide();
    const observer = new QueryObserver(client, {
      queryKey: ['ticket', id],
      async queryFn() {
        const value = await respond(() => truth.get(id));
        return !isCalm() && sim.random() < 0.05 ? new Promise<never>(() => undefined) : value;
      },
    });
    shown.set(
      id,
      observer.subscribe(() => undefined),
    );
  }

  /** A page that a server renders, with a response or a request still in flight. It arrives after a delay. */
  async function bring(id: number): Promise<void> {
    const there = new QueryClient({
      defaultOptions: { queries: { retry: false }, dehydrate: { shouldDehydrateQuery: () => true } },
    });
    const value = truth.get(id);
    const readMs = draw(150);
    void there.prefetchQuery({
      queryKey: ['ticket', id],
      queryFn: () => sim.sleep(readMs).then(() => value),
    });
    await sim.sleep(draw(300));
    const state = dehydrate(there);
    await sim.sleep(draw(300));
    // If it replaces older data, a hydrated request in flight looks like a request that starts here.
    const isUnderWay = state.queries.some(({ promise }) => promise !== undefined);
    const [brought] = state.queries;
    if (brought?.state.data !== undefined && draw(3) === 0) {
      // Like a persister that replaces cached data with data from the disk.
      const { data, dataUpdatedAt: updatedAt } = brought.state;
      return void client.setQueryData(['ticket', id], data, { updatedAt });
    }
    if (!isUnderWay || client.getQueryState(['ticket', id]) === undefined) hydrate(client, state);
  }

  await play(() => {
    const id = 1 + draw(4);
    const chance = sim.random();
    if (chance < 0.6) toggle(id);
    else if (chance < 0.87) void bring(id);
    else {
      cancelled.add(id);
      void client.cancelQueries({ queryKey: ['ticket', id] });
    }
  });
  for (const id of truth.keys()) emit(write(id)); // A request that hangs is waited for until its record changes.
  await heal();
  // Queries that are not shown or were canceled are requested when they are shown again, unless they are fresh.
  for (const id of truth.keys()) {
    if (shown.has(id) && cancelled.has(id)) toggle(id);
    if (!shown.has(id)) toggle(id);
  }
  await sim.advance(300_000); // A request that hung while no component showed its data is given up now.
  const wrong = [...truth].flatMap(([id, value]) => {
    const state = client.getQueryState(['ticket', id]);
    const isWrong = state?.status === 'success' && (state.data !== value || state.isInvalidated);
    return isWrong ? [`${id} shows ${String(state.data)}, not ${value}`] : [];
  });
  if (client.isFetching() > 0) wrong.push('a request is left');
  end();
  client.clear();
  dl.dispose();
  return wrong;
});
