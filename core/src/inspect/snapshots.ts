// state() and devtools() (document §2.9): plain copies of what is known; the data in them is that of the cache.

import { subject } from '../events/fetchEvents.ts';
import type { Def, Entry, Flight } from '../cache/entry.ts';
import { isRequested, qidOf, slotsOf, watcherCount } from '../cache/entry.ts';
import type { Bulk } from '../fetching/batching.ts';
import type { Lifecycle } from '../events/bus.ts';
import type { Registry } from '../config/registry.ts';
import type { Settings } from '../config/options.ts';
import type { SeenKeys } from '../directives/idempotency.ts';
import type { DevtoolsSnapshot, SseInfo, StateSnapshot } from '../types/snapshots.ts';

export interface Inspect {
  state: () => StateSnapshot;
  devtools: () => DevtoolsSnapshot;
}

const entryCount = (defs: ReadonlyMap<string, Def>): number =>
  [...defs.values()].reduce((total, def) => total + def.entries.size, 0);

/** Of a read that waits for its window there is none yet. */
const nameOf = (flight: Flight | null): string => (flight === null ? '' : qidOf(flight.query));

/** The public face of an entry with its getters read, and who watches it. */
function faceOf(entry: Entry): object {
  const { data, meta } = entry.ref;
  return { data, meta: { ...meta }, watchers: watcherCount(entry) };
}

/** By name and key. What a face has is that of its kind; the caller names the kind. */
const facesOf = (defs: ReadonlyMap<string, Def>): never =>
  Object.fromEntries(
    [...defs].map(([name, { entries }]) => [
      name,
      Object.fromEntries([...entries].map(([key, entry]) => [key, faceOf(entry)])),
    ]),
  ) as never;

interface Needs {
  registry: Registry;
  bulk: Bulk;
  seenKeys: SeenKeys;
  lifecycle: Lifecycle;
  sse: () => SseInfo;
  clientId: () => string;
  settings: () => Settings;
}

export function createInspect({
  registry,
  bulk,
  seenKeys,
  lifecycle,
  sse,
  clientId,
  settings,
}: Needs): Inspect {
  const { types, collections } = registry;

  function state(): StateSnapshot {
    const { bulk: options, memory } = settings();
    return {
      types: Object.fromEntries(
        [...types].map(([name, { main, fetchers, entries }]) => [
          name,
          {
            stalenessMs: main.stalenessMs,
            levels: [...fetchers.keys()],
            itemCount: entries.size,
            hasBulkFetch: [...fetchers.values()].some(({ bulkFetch }) => bulkFetch !== null),
          },
        ]),
      ),
      collections: Object.fromEntries(
        [...collections].map(([name, { main, entries }]) => [
          name,
          { stalenessMs: main.stalenessMs, refCount: entries.size },
        ]),
      ),
      sse: sse(),
      bulk: { delayMs: options.delayMs, maxBatchSize: options.maxBatchSize, pending: bulk.pending() },
      memory: { ...memory, items: entryCount(types), collections: entryCount(collections) },
    };
  }

  function inFlight(): DevtoolsSnapshot['inFlight'] {
    const slots = registry.entries().flatMap((entry) => slotsOf(entry).filter(isRequested));
    // What is told of an entry is that of its kind; the caller names the kind.
    const of = (kind: Def['kind']): never =>
      slots
        .filter(({ entry }) => entry.def.kind === kind)
        .map((slot) => ({ ...subject(slot), qid: nameOf(slot.flight) })) as never;
    return {
      items: of('item'),
      collections: of('collection'),
      totalCount: slots.length,
      hasAnyInFlight: slots.length > 0,
    };
  }

  return {
    state,
    devtools: () => ({
      ...state(),
      clientId: clientId(),
      items: facesOf(types),
      refs: facesOf(collections),
      inFlight: inFlight(),
      seenKeys: seenKeys.list(),
      events: lifecycle.history(),
    }),
  };
}
