// The same tests for an item and for a collection, whose requests follow the same rules.

import type { InitOptions, Reference } from '@edict/core';
import { missOne, refreshItem, refreshList } from '../directives.ts';
import { createWorld } from '../world.ts';

/** The type `ticket` with the level `full`, the type `note` with `bulkFetch`, and the collection `tickets`. The test responds to each request. */
export function setup(init: InitOptions = {}) {
  const world = createWorld({ init });
  const item = world.held();
  const full = world.held();
  const many = world.held();
  const list = world.held();
  world.dl.createType('ticket', { fetch: item.fetch, levels: { full: { fetch: full.fetch } } });
  world.dl.createType('note', { fetch: item.fetch, bulkFetch: many.bulkFetch });
  world.dl.createCollection('tickets', { fetch: list.fetch });
  return { ...world, item, full, many, list };
}

export type Setup = ReturnType<typeof setup>;

/** A directive arrives, and its window closes. */
export async function announce({ dl, sim }: Setup, directive: object): Promise<void> {
  void dl.applyDirectives([directive]);
  await sim.advance(50);
}

/** A resync of the entry, which is watched meanwhile. */
export async function resync({ dl, sim }: Setup, ref: Reference): Promise<void> {
  const stop = dl.onRefChange(ref, () => undefined);
  missOne(dl);
  await sim.advance(3500);
  stop();
}

export type ReadOptions = { force?: boolean; silent?: boolean };

export const kinds = [
  {
    kind: 'item',
    calls: (world: Setup) => world.item,
    read: (world: Setup, options?: ReadOptions) => world.dl.fetchItem('ticket', 1, null, options),
    look: (world: Setup) => world.dl.getItemRef('ticket', 1),
    isLoading: (world: Setup) => world.dl.isItemLoading('ticket', 1),
    /** A response of the server. */
    good: (version: number): unknown => ({ id: 1, version }),
    /** The data of that response. */
    shown: (version: number): unknown => ({ id: 1, version }),
    /** The data before the first response. */
    empty: null as unknown,
    refresh: refreshItem('ticket', 1),
    /** A directive with an inline result. */
    inline: (version: number) => refreshItem('ticket', 1, { result: { id: 1, version } }),
    /** The fields of the fetch events that name the entry. */
    named: { type: 'ticket', id: 1, level: 'default' } as object,
    /** The fields that only the intent event has. In the specification, that of an item has no `force`. */
    intended: (_force: boolean): object => ({}),
  },
  {
    kind: 'collection',
    calls: (world: Setup) => world.list,
    read: (world: Setup, options?: ReadOptions) => world.dl.fetchCollection('tickets', options),
    look: (world: Setup) => world.dl.getCollectionRef('tickets'),
    isLoading: (world: Setup) => world.dl.isCollectionLoading('tickets'),
    good: (version: number): unknown => ({ ids: [version] }),
    shown: (version: number): unknown => ({ ids: [version], count: 1 }),
    empty: { ids: [], count: 0 } as unknown,
    refresh: refreshList('tickets'),
    inline: (version: number) => refreshList('tickets', { result: { ids: [version] } }),
    named: { name: 'tickets', params: undefined } as object,
    intended: (force: boolean): object => ({ force }),
  },
] as const;
