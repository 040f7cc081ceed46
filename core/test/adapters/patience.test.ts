// Requests that never respond during a change, with the adapter for TanStack Query.

import { createDataLayer } from '@edict/core';
import { connectQueryClient } from '@edict/core/adapters/tanstack-query';
import { createSimulation } from '@edict/core/testing';
import { dehydrate, hydrate, onlineManager, QueryClient, QueryObserver } from '@tanstack/query-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { requestMs, setup, ticket } from './tanstackQueryWorld.ts';

describe('D-ADAPT-4 a change while a request is in flight that never responds', () => {
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
