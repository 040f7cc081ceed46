// Objects that the library does not keep in memory.

import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createDataLayer } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import { expect, it } from 'vitest';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

it('D-FETCH-10 a retry that an inline result superseded does not retain evicted entries', async () => {
  const sim = createSimulation();
  const dl = sim.createDataLayer({
    sse: { enabled: false },
    bulk: { retryFailedMs: 100 },
    memory: { itemEntryTtlMs: 1000, pruneIntervalMs: 1000 },
  });
  const server = { isDown: false };
  dl.createType('ticket', {
    fetch: async (id) => {
      await sim.sleep(50);
      if (server.isDown) throw new Error('down');
      return { id };
    },
  });
  const refresh = (id: number, more: object = {}): void =>
    void dl.applyDirectives([{ op: 'refresh_item', name: 'ticket', id, ...more }]);
  /** A separate function, so that no local variable keeps the reference alive. */
  async function retried(): Promise<WeakRef<object>> {
    const ref = dl.fetchItem('ticket', 1);
    const unwatch = dl.onRefChange(ref, () => undefined);
    await sim.advance(100);
    server.isDown = true;
    refresh(1);
    await sim.advance(100);
    expect(ref.meta.error).toBe('down');
    await sim.advance(120);
    expect(ref.meta.isLoading).toBe(true);
    refresh(1, { result: { id: 1 } });
    await sim.advance(100);
    expect(ref.meta.error).toBeNull();
    unwatch();
    server.isDown = false;
    return new WeakRef(ref);
  }
  const ref = await retried();
  await sim.advance(5000);
  for (let i = 0; i < 200; i++) dl.fetchItem('ticket', 3); // The history of the devtools ends after 200 events.
  await sim.advance(100);
  await setImmediate();
  collect();
  expect(ref.deref()).toBeUndefined();
});

it('D-REG-3 a request that timed out and never settles does not retain later requests', async () => {
  const sim = createSimulation();
  const dl = sim.createDataLayer({
    sse: { enabled: false },
    memory: { itemEntryTtlMs: 1000, pruneIntervalMs: 1000 },
  });
  const hung = new Promise<never>(() => undefined);
  dl.createType('ticket', {
    timeoutMs: 100,
    fetch: (id) => (id === 1 ? hung : sim.sleep(80).then(() => ({ id }))),
  });
  dl.fetchItem('ticket', 1);
  await sim.advance(50); // The next request is still in flight when the first one times out.
  const beside = new WeakRef(dl.fetchItem('ticket', 2));
  await sim.advance(5000);
  expect(Object.keys(dl.devtools().items['ticket'] ?? {})).toEqual([]);
  // The history of the devtools ends after 200 events.
  for (let i = 0; i < 200; i++) dl.fetchItem('ticket', 3);
  await sim.advance(50);
  await setImmediate();
  collect();
  expect(beside.deref()).toBeUndefined();
  expect(hung).toBeInstanceOf(Promise);
});

it('D-MEM-2 the sweep of unwatched entries does not retain an unreferenced data layer', async () => {
  /** A data layer that a server renders a page with and does not dispose. */
  async function rendered(): Promise<WeakRef<object>> {
    const dl = createDataLayer();
    dl.createType('ticket', { fetch: (id) => Promise.resolve({ id }) });
    await dl.prefetchItem('ticket', 1);
    return new WeakRef(dl.getItemRef('ticket', 1));
  }
  const ref = await rendered();
  await setImmediate();
  collect();
  expect(ref.deref()).toBeUndefined();
});
