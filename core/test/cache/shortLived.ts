// Entries that are evicted soon, for tests of the eviction.

import type { InitOptions } from '@edict/core';
import { refreshItem, refreshList } from '../directives.ts';
import { createWorld } from '../world.ts';

const brief = { pruneIntervalMs: 1000, itemEntryTtlMs: 5500, collectionEntryTtlMs: 5500 };

/** The types `ticket` and `user`, and the collections `tickets` and `users`. Entries live 5.5 s, and a sweep runs every second. */
export function setup(memory: InitOptions['memory'] = {}, base: InitOptions['memory'] = brief) {
  const world = createWorld({ init: { memory: { ...base, ...memory } } });
  const { dl } = world;
  const fetched: unknown[] = [];
  dl.createType('ticket', { fetch: (id) => (fetched.push(id), { id }), timeoutMs: 0 });
  dl.createType('user', { fetch: (id) => ({ id }) });
  dl.createCollection('tickets', { fetch: (params) => (fetched.push(params), { ids: [1] }) });
  dl.createCollection('users', { fetch: () => ({ ids: [] }) });
  return {
    ...world,
    fetched,
    ids: (type = 'ticket') => Object.keys(dl.devtools().items[type] ?? {}),
    keys: (name = 'tickets') => Object.keys(dl.devtools().refs[name] ?? {}),
  };
}

type Setup = ReturnType<typeof setup>;

/** The same tests for an item and for a collection. */
export const kinds = [
  {
    kind: 'item',
    name: 'ticket',
    read: ({ dl }: Setup, at: number) => dl.fetchItem('ticket', at),
    look: ({ dl }: Setup, at: number) => dl.getItemRef('ticket', at),
    held: (world: Setup) => world.ids().map(Number),
    refresh: refreshItem('ticket', 0),
    max: (count: number): InitOptions['memory'] => ({ maxItemsPerType: count }),
    key: '0',
    limit: 512,
    ttlMs: 900_000,
  },
  {
    kind: 'collection',
    name: 'tickets',
    read: ({ dl }: Setup, at: number) => dl.fetchCollection('tickets', { params: { at } }),
    look: ({ dl }: Setup, at: number) => dl.getCollectionRef('tickets', { params: { at } }),
    held: (world: Setup) => world.keys().map((key) => (JSON.parse(key) as { at: number }).at),
    refresh: refreshList('tickets', { params: { at: 0 } }),
    max: (count: number): InitOptions['memory'] => ({ maxCollectionRefsPerCollection: count }),
    key: '{"at":0}',
    limit: 12,
    ttlMs: 600_000,
  },
] as const;
