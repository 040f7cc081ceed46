// state() and devtools() (document §2.9): deep plain copies, safe to serialise.

import type { Cache } from './cache.ts';
import type { Def, Entry, Flight } from './entries.ts';
import { isRequested, qidOf, slotsOf } from './entries.ts';
import type { Bulk } from './bulk.ts';
import type { Id } from './protocol/directive.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Registry } from './registry.ts';
import type { Settings } from './rules/options.ts';
import type { SeenKeys } from './seenKeys.ts';
import type { CollectionMeta, DevtoolsSnapshot, ItemMeta, SseInfo, StateSnapshot } from './types.ts';
import { watcherCount } from './watchers.ts';

export interface Inspect {
  state: () => StateSnapshot;
  devtools: () => DevtoolsSnapshot;
}

/** A map by name, without a prototype: names are data. */
function table<V>(defs: Iterable<readonly [Id, V]>): Record<string, V> {
  const map = Object.create(null) as Record<string, V>; // Nothing is inherited and all values are V.
  for (const [name, value] of defs) map[name] = value;
  return map;
}

const sum = (defs: ReadonlyMap<string, Def>): number =>
  [...defs.values()].reduce((total, def) => total + def.entries.size, 0);

/** Of a read that waits for its window there is none yet. */
const nameOf = (flight: Flight | null): string => (flight === null ? '' : qidOf(flight.query));

/** The public face of an entry with its getters read, and who watches it. */
function shown<M extends ItemMeta | CollectionMeta>(
  entry: Entry,
): { data: never; meta: M; watchers: number } {
  const { data, meta } = entry.ref;
  // A reference's data and meta are those of the entry's kind; the caller names the kind.
  return { data: data as never, meta: { ...meta } as M, watchers: watcherCount(entry.watchers) };
}

export function createInspect(
  cache: Cache,
  registry: Registry,
  bulk: Bulk,
  seenKeys: SeenKeys,
  lifecycle: Lifecycle,
  sse: () => SseInfo,
  clientId: string,
  settings: () => Settings,
): Inspect {
  const { types, collections } = registry;

  function state(): StateSnapshot {
    const { bulk: options, memory } = settings();
    return {
      types: table(
        [...types].map(([name, { stalenessMs, sources, entries }]) => [
          name,
          {
            stalenessMs,
            levels: [...sources.keys()],
            itemCount: entries.size,
            hasBulkFetch: [...sources.values()].some(({ bulkFetch }) => bulkFetch !== null),
          },
        ]),
      ),
      collections: table(
        [...collections].map(([name, { stalenessMs, entries }]) => [
          name,
          { stalenessMs, refCount: entries.size },
        ]),
      ),
      sse: sse(),
      bulk: { delayMs: options.delayMs, maxBatchSize: options.maxBatchSize, pending: bulk.pending() },
      memory: { ...memory, items: sum(types), collections: sum(collections) },
    };
  }

  function inFlight(): DevtoolsSnapshot['inFlight'] {
    const slots = registry.entries().flatMap((entry) => slotsOf(entry).filter(isRequested));
    const ofItems = slots.filter(({ entry }) => entry.def.kind === 'item');
    const ofCollections = slots.filter(({ entry }) => entry.def.kind === 'collection');
    return {
      items: ofItems.map(({ entry, level, flight }) => ({
        type: entry.def.name,
        id: entry.id,
        level,
        qid: nameOf(flight),
      })),
      collections: ofCollections.map(({ entry, flight }) => ({
        name: entry.def.name,
        params: entry.params,
        qid: nameOf(flight),
      })),
      totalCount: slots.length,
      hasAnyInFlight: cache.busyCount() > 0,
    };
  }

  return {
    state,
    devtools: () => ({
      ...state(),
      clientId,
      items: table(
        [...types].map(([name, { entries }]) => [
          name,
          table([...entries].map(([key, entry]) => [key, shown<ItemMeta>(entry)])),
        ]),
      ),
      refs: table(
        [...collections].map(([name, { entries }]) => [
          name,
          table([...entries].map(([key, entry]) => [key, shown<CollectionMeta>(entry)])),
        ]),
      ),
      inFlight: inFlight(),
      seenKeys: seenKeys.list(),
      events: lifecycle.history(),
    }),
  };
}
