// Whatever happens on the way, a TanStack Query cache behind the adapter ends with the server's truth.

import { createDataLayer } from '@edict/core';
import { connectQueryClient } from '@edict/core/adapters/tanstack-query';
import { createSimulation } from '@edict/core/testing';
import { dehydrate, hydrate, QueryClient, QueryObserver } from '@tanstack/query-core';
import { expect, it, onTestFinished, vi } from 'vitest';

const seeds = Array.from({ length: 80 }, (_, index) => index + 1);

it.each(seeds)(
  'ends with the truth over a good and a bad network, and calls nothing else fresh: run %i',
  async (seed) => {
    const sim = createSimulation({ seed });
    sim.link.delay([1, 120]);
    // On a good network nothing hides behind a resync.
    const isBad = seed % 2 === 0;
    if (isBad) sim.link.rates({ drop: 0.15, duplicate: 0.1, reorder: 0.1 });
    const dl = createDataLayer({ env: sim.env });
    // TanStack says by the platform's clock when an answer came.
    vi.spyOn(Date, 'now').mockImplementation(() => sim.env.now());
    onTestFinished(() => void vi.restoreAllMocks());
    const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
    const end = connectQueryClient(dl, client, {
      env: sim.env,
      itemData: (_type, _id, _level, result) => result,
    });
    onTestFinished(() => {
      end();
      client.clear();
      dl.dispose();
    });
    const truth = new Map([1, 2, 3, 4].map((id) => [id, 0]));
    const draw = (below: number): number => Math.floor(sim.random() * below);
    const shown = new Map<number, () => void>();
    const cancelled = new Set<number>();
    let isCalm = false;

    function toggle(id: number): void {
      const hide = shown.get(id);
      shown.delete(id);
      if (hide !== undefined) return hide();
      const observer = new QueryObserver(client, {
        queryKey: ['ticket', id],
        async queryFn() {
          await sim.sleep(draw(40));
          const value = truth.get(id);
          await sim.sleep(draw(150));
          if (!isCalm && sim.random() < 0.05) return new Promise<never>(() => undefined);
          if (sim.random() < 0.05) throw new Error('unlucky');
          return value;
        },
      });
      shown.set(
        id,
        observer.subscribe(() => undefined),
      );
    }

    function change(id: number, source: string | null = null): unknown[] {
      const value = (truth.get(id) ?? 0) + 1;
      truth.set(id, value);
      const result = sim.random() < 0.3 ? { result: value } : {};
      return sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id, ...result }], { source });
    }
    sim.route('POST /change/:id', ({ params, clientId }) => ({
      directives: change(Number(params['id']), clientId),
    }));
    function changeOwn(id: number): void {
      if (sim.random() < 0.2) sim.link.loseAnswers();
      dl.fetch(`/change/${id}`, { method: 'POST' }).catch(() => undefined);
    }

    /** A page that a server renders: with its answer, or while that is still under way; it takes its time to come. */
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
      // In the place of older data nothing tells an answer that is still under way from a request that begins here.
      const isUnderWay = state.queries.some(({ promise }) => promise !== undefined);
      const [brought] = state.queries;
      if (brought?.state.data !== undefined && draw(3) === 0) {
        // As a persister puts what it had on the disk in the place of whatever is there.
        const { data, dataUpdatedAt: updatedAt } = brought.state;
        return void client.setQueryData(['ticket', id], data, { updatedAt });
      }
      if (!isUnderWay || client.getQueryState(['ticket', id]) === undefined) hydrate(client, state);
    }

    for (let step = 0; step < 80; step++) {
      if (step === 3) dl.init();
      const id = 1 + draw(4);
      const chance = sim.random();
      if (chance < 0.25) toggle(id);
      else if (chance < 0.35) void bring(id);
      else if (chance < 0.4) {
        cancelled.add(id);
        void client.cancelQueries({ queryKey: ['ticket', id] });
      } else if (chance < 0.55) changeOwn(id);
      else if (chance < 0.9 || !isBad) change(id);
      else if (chance < 0.95) {
        sim.link.cut();
        await sim.advance(draw(4000));
        sim.link.restore();
      } else sim.hub.restart();
      await sim.advance(draw(120));
    }
    isCalm = true;
    sim.link.rates({});
    for (const id of truth.keys()) change(id); // What hangs is waited for until something has changed.
    await sim.advance(120_000); // Reconnects, heartbeats and a resync; and what hangs is given up.
    // What nobody shows, and what was cancelled, is asked for when it is shown again, unless it is called fresh.
    for (const id of truth.keys()) {
      if (shown.has(id) && cancelled.has(id)) toggle(id);
      if (!shown.has(id)) toggle(id);
    }
    await sim.advance(300_000); // What hung while nobody showed it is given up now.
    const wrong = [...truth].filter(([id, value]) => {
      const state = client.getQueryState(['ticket', id]);
      return state?.status === 'success' && (state.data !== value || state.isInvalidated);
    });
    expect(wrong).toEqual([]);
    expect(client.isFetching()).toBe(0);
  },
);
