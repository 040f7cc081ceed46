// `dispose`: no call starts anything afterwards.

import { dehydrate, hydrate } from '@edict/core/hydration';
import { expect, it } from 'vitest';
import type { Env } from '@edict/core';
import { envelope, refreshItem, refreshList } from './directives.ts';
import { createCachedStage, createStage } from './world.ts';

it('leaves no timer, no listener, no stream and no request', async () => {
  let open = 0;
  const env = (sim: { env: Env }): Partial<Env> => ({
    fetch: async (input, init) => {
      open += 1;
      init?.signal?.addEventListener('abort', () => (open -= 1), { once: true });
      return sim.env.fetch(input, init);
    },
  });
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
  dl.ingestEnvelope(envelope(9e15, [refreshList('tickets')]));
  expect(sim.pendingTimers()).toBeGreaterThan(0);
  dl.dispose();
  await sim.advance(0);
  expect(sim.pendingTimers()).toBe(0);
  expect(sim.page.listeners()).toBe(0);
  expect(sim.hub.connections()).toHaveLength(0);
  expect(open).toBe(0);
  expect(contexts.map(({ signal }) => signal.aborted)).toEqual(contexts.map(() => true));
  await sim.advance(100_000);
  expect(sim.pendingTimers()).toBe(0);
});

it('leaves no timer and no listener after the stream was disconnected, and can be called twice', async () => {
  const { sim, dl } = createStage({ init: { sse: {} } });
  await sim.advance(10);
  dl.disconnectSse();
  await sim.advance(10);
  dl.dispose();
  expect(() => dl.dispose()).not.toThrow();
  await sim.advance(1000);
  expect(sim.pendingTimers()).toBe(0);
  expect(sim.page.listeners()).toBe(0);
  expect(sim.hub.connections()).toHaveLength(0);
});

it('prevents every later call from starting a request, a timer or a reload', async () => {
  const { sim, dl, item, list, calls } = await createCachedStage({ init: { sse: {} } });
  const state = dehydrate(dl);
  dl.dispose();
  const requests = sim.requests.length;
  const directives = [refreshItem('ticket', 7), { op: 'force_reload_page' }];
  sim.route('GET /x', () => ({ directives: [refreshItem('ticket', 7)] }));
  item('ticket', 9);
  list('tickets', { page: 9 });
  dl.fetchItem('ticket', 7, null, { force: true });
  await dl.applyDirectives(directives);
  await dl.applyResponse(Response.json({ directives }));
  await dl.prefetchItem('ticket', 10);
  await dl.prefetchCollection('notes');
  await dl.whenSettled();
  dl.connectSse();
  dl.configureSse({ audience: 'team' });
  dl.configureMemory({ pruneIntervalMs: 100 });
  hydrate(dl, state);
  for (const seq of [1, 9]) dl.ingestEnvelope(envelope(seq, directives));
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

it('ends the list of directives in which a listener calls it', async () => {
  const { sim, dl } = await createCachedStage();
  dl.onLifecycle('directive:processed', () => dl.dispose());
  await dl.applyDirectives([refreshItem('ticket', 7), { op: 'force_reload_page' }]);
  expect(sim.reloads).toEqual([]);
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
