// state() and devtools() (document §2.9). They return plain copies, except that the data is the cached object
// itself.

import { subject } from '../events/fetchEvents.ts';
import { isRequested, qidOf, watcherCount, type Def, type Fetcher } from '../cache/entry.ts';
import { refOf } from '../cache/reference.ts';
import type { Requesting } from '../fetching/batching.ts';
import type { SeenKeys } from '../directives/idempotency.ts';
import type { DataLayer } from '../types/dataLayer.ts';
import type { DevtoolsSnapshot, SseInfo, StateSnapshot } from '../types/snapshots.ts';

interface Needs extends Requesting {
  seenKeys: SeenKeys;
  sse: () => SseInfo;
}

const mapped = <K, V, T>(map: ReadonlyMap<K, V>, of: (value: V) => T): Record<string, T> =>
  Object.fromEntries([...map].map(([key, value]) => [key, of(value)]));

/** Every type and collection has the default level. */
const stalenessOf = (fetchers: Def['fetchers']): number => (fetchers.get('default') as Fetcher).stalenessMs;

const entryCount = (defs: ReadonlyMap<string, Def>): number =>
  [...defs.values()].reduce((total, { entries }) => total + entries.size, 0);

/**
 * Every entry by name and key, with its getters evaluated. The caller names the kind, which determines the fields.
 */
const entriesOf = (defs: ReadonlyMap<string, Def>): never =>
  mapped(defs, ({ entries }) =>
    mapped(entries, (entry) => {
      const { data, meta } = refOf(entry);
      return { data, meta: { ...meta }, watchers: watcherCount(entry) };
    }),
  ) as never;

export function createInspect(needs: Needs): Pick<DataLayer, 'state' | 'devtools'> {
  const { types, collections, slots: allSlots } = needs.registry;

  function state(): StateSnapshot {
    const { bulk, memory } = needs.settings();
    return {
      types: mapped(types, ({ fetchers, entries: { size } }) => ({
        stalenessMs: stalenessOf(fetchers),
        levels: [...fetchers.keys()],
        itemCount: size,
        hasBulkFetch: [...fetchers.values()].some(({ bulkFetch }) => bulkFetch !== null),
      })),
      collections: mapped(collections, ({ fetchers, entries: { size } }) => ({
        stalenessMs: stalenessOf(fetchers),
        refCount: size,
      })),
      sse: needs.sse(),
      bulk: { delayMs: bulk.delayMs, maxBatchSize: bulk.maxBatchSize, pending: needs.bulk.pending() },
      memory: { ...memory, items: entryCount(types), collections: entryCount(collections) },
    };
  }

  function inFlight(): DevtoolsSnapshot['inFlight'] {
    const slots = allSlots().filter(isRequested);
    // The caller names the kind, which determines the fields. A read that waits for its window has no id yet.
    const of = (kind: Def['kind']): never =>
      slots
        .filter(({ entry }) => entry.def.kind === kind)
        .map((slot) => ({
          ...subject(slot),
          qid: slot.flight === null ? '' : qidOf(slot.flight.queryNumber),
        })) as never;
    const totalCount = slots.length;
    return { items: of('item'), collections: of('collection'), totalCount, hasAnyInFlight: totalCount > 0 };
  }

  return {
    state,
    devtools: () => ({
      ...state(),
      clientId: needs.clientId(),
      items: entriesOf(types),
      refs: entriesOf(collections),
      inFlight: inFlight(),
      seenKeys: needs.seenKeys.list(),
      events: needs.lifecycle.history(),
    }),
  };
}
