// An adapter connects to a data layer: directives from before, its state, and its end.

import { createDataLayer, type DataLayer } from '@edict/core';
import { connectCache } from '@edict/core/adapters/cache';
import { connectSwr } from '@edict/core/adapters/swr';
import { connectQueryClient } from '@edict/core/adapters/tanstack-query';
import { createSimulation, type Simulation } from '@edict/core/testing';
import { QueryClient } from '@tanstack/query-core';
import { describe, expect, it, onTestFinished } from 'vitest';

const ticket = { op: 'refresh_item', name: 'ticket', id: 7 } as const;

function setup() {
  const sim = createSimulation();
  const dl = createDataLayer({ env: sim.env });
  onTestFinished(() => dl.dispose());
  return { sim, dl };
}

/** Each adapter over a cache with one entry. Returns whether the entry was marked stale or refetched. */
const adapters = {
  connectCache(dl: DataLayer, sim: Simulation, since?: number) {
    let isStale = false;
    const stale = (): void => void (isStale = true);
    connectCache(
      dl,
      { changed: stale, resync: stale },
      { env: sim.env, ...(since !== undefined && { since }) },
    );
    return () => isStale;
  },
  connectSwr(dl: DataLayer, sim: Simulation, since?: number) {
    let isStale = false;
    const mutate = (key: unknown): Promise<unknown> => {
      if (typeof key === 'function') key(['ticket', 7]);
      else isStale = true;
      return Promise.resolve();
    };
    connectSwr(dl, { mutate }, { env: sim.env, ...(since !== undefined && { since }) });
    return () => isStale;
  },
  connectQueryClient(dl: DataLayer, sim: Simulation, since?: number) {
    const client = new QueryClient();
    client.setQueryData(['ticket', 7], 1, { updatedAt: sim.now() });
    connectQueryClient(dl, client, { env: sim.env, ...(since !== undefined && { since }) });
    return () => client.getQueryState(['ticket', 7])?.isInvalidated === true;
  },
};

describe.each(Object.entries(adapters))('%s', (_name, connect) => {
  it.each<[string, (dl: DataLayer) => unknown]>([
    ['were applied by hand, without a stream', (dl) => dl.applyDirectives([ticket])],
    [
      'arrived by a custom source',
      (dl) =>
        dl.configureDirectiveSource({ type: 'socket', connect: (api) => void api.applyDirectives([ticket]) }),
    ],
    [
      'may have arrived by a connected custom source',
      (dl) => dl.configureDirectiveSource({ type: 'socket', connect: () => undefined }),
    ],
    [
      'arrived by a stream that was closed since',
      async (dl) => {
        dl.connectSse();
        await dl.applyDirectives([ticket]);
        dl.disconnectSse();
      },
    ],
  ])('treats all data as stale when it connects after directives %s', async (_how, before) => {
    const { sim, dl } = setup();
    dl.init({ sse: { connectOnInit: false } });
    await before(dl);
    await sim.advance(1000);
    const isStale = connect(dl, sim);
    await sim.advance(100);
    expect(isStale()).toBe(true);
  });

  it('D-ADAPT-1 refetches nothing when no directive was applied before it connected', async () => {
    const { sim, dl } = setup();
    dl.init({ sse: { enabled: false } });
    await sim.advance(1000);
    const isStale = connect(dl, sim);
    await sim.advance(1000);
    expect(isStale()).toBe(false);
  });

  it('D-ADAPT-1, D-SSE-8 receives earlier directives with `since`', async () => {
    const { sim, dl } = setup();
    await sim.advance(100_000);
    const since = sim.now();
    await sim.advance(10_000);
    sim.hub.emit([ticket]);
    await sim.advance(20_000);
    const isStale = connect(dl, sim, since);
    dl.init();
    await sim.advance(1000);
    expect([isStale(), dl.state().sse.connected]).toEqual([true, true]);
  });

  it('D-ADAPT-1 refetches everything with `since` 0, because no log reaches back that far', async () => {
    const { sim, dl } = setup();
    sim.hub.emit([{ ...ticket, id: 8 }]);
    await sim.advance(1000);
    const isStale = connect(dl, sim, 0);
    dl.init();
    await sim.advance(100);
    expect(isStale()).toBe(false);
    await sim.advance(5000);
    expect(isStale()).toBe(true);
  });

  it('D-ADAPT-1 refetches everything with `since` when the stream was requested for less', async () => {
    const { sim, dl } = setup();
    const since = sim.now();
    await sim.advance(10_000);
    dl.init();
    await sim.advance(1000);
    dl.disconnectSse();
    const isStale = connect(dl, sim, since);
    await sim.advance(100);
    expect(isStale()).toBe(true);
  });

  it('refetches everything after a reset, because the new connection replays no earlier directives', async () => {
    const { sim, dl } = setup();
    const isStale = connect(dl, sim);
    dl.init();
    await sim.advance(1000);
    dl.disconnectSse();
    await sim.advance(60_000);
    sim.hub.emit([ticket]);
    await sim.advance(60_000);
    expect(isStale()).toBe(false);
    dl.reset();
    dl.connectSse();
    await sim.advance(1000);
    expect(isStale()).toBe(true);
  });

  it('adds nothing to the state of the data layer', async () => {
    const { sim, dl } = setup();
    connect(dl, sim);
    dl.init();
    await sim.advance(1000);
    const { types, memory } = dl.state();
    expect([types, memory.items, dl.devtools().items]).toEqual([{}, 0, {}]);
  });

  it('D-ADAPT-5 ends when the data layer is disposed, and leaves no timer', async () => {
    const { sim, dl } = setup();
    const isStale = connect(dl, sim);
    dl.init();
    await sim.advance(1000);
    sim.hub.emit([
      { ...ticket, id: 8 },
      { op: 'refresh_collection', name: 'tickets' },
    ]);
    await sim.advance(10);
    dl.dispose();
    expect(sim.pendingTimers()).toBe(0);
    await sim.advance(1000);
    expect(isStale()).toBe(false);
  });
});
