// The timer of the eviction: when it runs, and what stops it.

import { createDataLayer, type DataLayer, type Id } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import { describe, expect, it } from 'vitest';
import { createWorld } from '../world.ts';
import { setup } from './shortLived.ts';

describe('D-MEM-2 the timer of the eviction', () => {
  it('pruneIntervalMs of init applies to entries that were read before init', async () => {
    const { dl, sim } = createWorld({ init: null });
    dl.createType('ticket', { fetch: (id) => ({ id }) });
    dl.fetchItem('ticket', 1);
    dl.init({ sse: { enabled: false }, memory: { pruneIntervalMs: 1000, maxItemsPerType: 0 } });
    await sim.advance(1000);
    expect(dl.state().memory.items).toBe(0);
  });

  it('configureMemory stops and restarts eviction', async () => {
    const { dl, sim, ids } = setup();
    dl.fetchItem('ticket', 1);
    dl.configureMemory({ enabled: false });
    await sim.advance(60_000);
    expect(ids()).toEqual(['1']);
    dl.configureMemory({ enabled: true });
    await sim.advance(1000);
    expect(ids()).toEqual([]);
  });

  it('configureMemory changes the interval of a running timer', async () => {
    const { dl, sim, ids } = setup({ pruneIntervalMs: 3_600_000 });
    dl.fetchItem('ticket', 1);
    await sim.advance(10_000);
    dl.configureMemory({ pruneIntervalMs: 100 });
    await sim.advance(100);
    expect([ids(), sim.pendingTimers()]).toEqual([[], 0]);
  });

  it('configureMemory after dispose sets no timer', () => {
    const { dl, sim } = setup();
    dl.fetchItem('ticket', 1);
    dl.dispose();
    dl.configureMemory({ pruneIntervalMs: 5 });
    expect(sim.pendingTimers()).toBe(0);
  });

  it('the timer exists only while entries exist', async () => {
    const { dl, sim } = setup();
    expect(sim.pendingTimers()).toBe(0);
    dl.fetchItem('ticket', 1);
    dl.fetchItem('ticket', 2);
    dl.fetchCollection('tickets');
    await sim.advance(0);
    expect(sim.pendingTimers()).toBe(1);
    await sim.advance(6500);
    expect(sim.pendingTimers()).toBe(0);
    dl.getItemRef('ticket', 3);
    expect(sim.pendingTimers()).toBe(1);
    dl.dispose();
    expect(sim.pendingTimers()).toBe(0);
  });

  it('the timer stops while every entry has a subscriber and restarts when one loses its subscriber', async () => {
    const { dl, sim, ids } = setup();
    const leave = [1, 2].map((id) => dl.onRefChange(dl.fetchItem('ticket', id), () => undefined));
    await sim.advance(1000);
    expect(sim.pendingTimers()).toBe(0);
    leave[0]?.();
    expect(sim.pendingTimers()).toBe(1);
    await sim.advance(6500);
    expect(ids()).toEqual(['2']);
    expect(sim.pendingTimers()).toBe(0);
    dl.fetchItem('ticket', 3);
    leave[1]?.();
    await sim.advance(6500);
    expect(ids()).toEqual([]);
  });

  it('there is no timer with enabled: false', async () => {
    const { dl, sim } = setup({ enabled: false });
    dl.fetchItem('ticket', 1);
    await sim.advance(0);
    expect(sim.pendingTimers()).toBe(0);
  });

  it('the timer does not keep a Node process alive', async () => {
    const timers = (): number =>
      process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const dl = createDataLayer();
    dl.init({ sse: { enabled: false } });
    dl.createType('ticket', { fetch: (id: Id) => ({ id }), timeoutMs: 0 });
    dl.fetchItem('ticket', 1);
    await dl.whenSettled();
    const before = timers();
    const awake = setTimeout(() => undefined, 60_000);
    expect(timers()).toBe(before + 1);
    clearTimeout(awake);
    dl.dispose();
    // If the sweep timer kept the process alive, dispose would have reduced the count.
    expect(timers()).toBe(before);
  });
});

describe('D-MEM-2 without a page', () => {
  function withoutPage() {
    const sim = createSimulation();
    const dl = createDataLayer({ env: { ...sim.env, page: null } });
    dl.createType('ticket', { fetch: (id) => Promise.resolve({ id }) });
    return { sim, dl };
  }

  it('the sweep starts with init or configureMemory and includes existing entries', async () => {
    for (const begin of [
      (dl: DataLayer) => dl.init({ sse: { enabled: false }, memory: { itemEntryTtlMs: 1000 } }),
      (dl: DataLayer) => dl.configureMemory({ itemEntryTtlMs: 1000 }),
    ]) {
      const { sim, dl } = withoutPage();
      await dl.prefetchItem('ticket', 1);
      await sim.advance(3_600_000);
      expect(dl.state().memory.items).toBe(1);
      begin(dl);
      await sim.advance(60_000);
      expect(dl.state().memory.items).toBe(0);
      dl.getItemRef('ticket', 2);
      dl.dispose();
      begin(dl);
      expect(sim.pendingTimers()).toBe(0);
    }
  });

  it('configureSse starts no sweep before init', async () => {
    const { sim, dl } = withoutPage();
    await dl.prefetchItem('ticket', 1);
    dl.configureSse({ audience: 'team-7' });
    expect(sim.pendingTimers()).toBe(0);
  });

  it('the sweep continues after a reset', async () => {
    const { sim, dl } = withoutPage();
    dl.init({ sse: { enabled: false }, memory: { itemEntryTtlMs: 1000 } });
    dl.reset();
    await dl.prefetchItem('ticket', 1);
    await sim.advance(60_000);
    expect(dl.state().memory.items).toBe(0);
    dl.dispose();
  });

  it('before init, no entry is evicted while another one is read', async () => {
    const { sim, dl } = withoutPage();
    await dl.prefetchItem('ticket', 1);
    await sim.advance(3_600_000);
    const evicted: string[] = [];
    dl.onLifecycle('memory:evict', ({ detail }) => evicted.push(detail.key));
    dl.getItemRef('ticket', 2);
    expect(evicted).toEqual([]);
    await sim.advance(0);
    expect(evicted).toEqual(['1']);
  });

  it('before init, new entries evict old ones', async () => {
    const { sim, dl } = withoutPage();
    for (let id = 0; id < 100; id += 1) {
      await dl.prefetchItem('ticket', id);
      await sim.advance(120_000);
    }
    // The entries of the last 15 minutes, and those that expired since the last entry was created.
    expect(dl.state().memory.items).toBeLessThanOrEqual(9);
    expect(dl.getItemRef('ticket', 99).data).toEqual({ id: 99 });
    expect(sim.pendingTimers()).toBe(0);
    dl.dispose();
  });
});
