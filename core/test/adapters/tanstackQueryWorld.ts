// The adapter for TanStack Query, with the real package, a simulated hub and simulated time.

import { createDataLayer, type DataLayer } from '@edict/core';
import { connectQueryClient, type QueryClientOptions } from '@edict/core/adapters/tanstack-query';
import { createSimulation, type Simulation } from '@edict/core/testing';
import { QueryClient, QueryObserver } from '@tanstack/query-core';
import { onTestFinished } from 'vitest';

/** A query client with the adapter, and the server behind it. */
export interface World {
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

/** How long a request takes. */
export const requestMs = 100;

/** @param init whether the data layer connects now, or when the test calls `init` */
export async function setup(
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

export const ticket = (id: number, more = {}): object => ({
  op: 'refresh_item',
  name: 'ticket',
  id,
  ...more,
});
