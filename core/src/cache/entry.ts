// The cached records. An entry is a collection with one params set, or an item with its levels. A slot is the part that one request fetches:
// one level of an item, or a whole collection entry. Only store.ts assigns to their fields.

import type { TimedEnv } from '../platform/clock.ts';
import type { Id } from '../protocol/directive.ts';
import { reaches, type LevelGraph } from '../levels/graph.ts';
import type { EntryView } from './reference.ts';
import type { FetchContext, RetryOptions } from '../types/configs.ts';
import type { CollectionData, Reference } from '../types/references.ts';
import type { StandardSchema } from '../types/standardSchema.ts';

/** How one level of a type, or a collection, is fetched and judged. */
export interface Fetcher {
  readonly level: string;
  readonly fetch: (entry: Entry, ctx: FetchContext) => unknown;
  readonly bulkFetch: ((ids: Id[], level: string, ctx: FetchContext) => unknown) | null;
  readonly check: ((data: unknown) => boolean) | null;
  readonly schema: StandardSchema | null;
  readonly stalenessMs: number;
  readonly timeoutMs: number;
  /** Additional attempts after a failure. */
  readonly retry: RetryOptions;
}

/** The items of a collection: the `of` and the `level` of its config. */
export interface ListItems {
  readonly level: string;
  /** The registered type; undefined if no type has that name. */
  readonly def: () => Def | undefined;
  /** The settings of the level. Throws if the type or the level is not registered. */
  readonly fetcher: () => Fetcher;
}

/** A registered type or collection. Registering again replaces the fields and keeps the entries (D-REG-1). */
export interface Def {
  readonly kind: 'item' | 'collection';
  readonly name: string;
  /** The entries by `idKey` of an item's id, or by the canonical params. */
  readonly entries: Map<Id, Entry>;
  /** The config of the latest registration. */
  config?: object;
  fetchers: ReadonlyMap<string, Fetcher>;
  graph: LevelGraph;
  getId: (item: unknown) => unknown;
  /** Null unless the definition is a collection with `of`. */
  of: ListItems | null;
  /** The environment of its data layer. */
  readonly env: Pick<TimedEnv, 'now' | 'sinceEpoch' | 'log'>;
}

/** How a request is made. */
export interface RequestKind {
  /** The request does not count as loading (D-FETCH-5). */
  readonly silent: boolean;
  /** `force: true`: neither cached data nor a request in flight is new enough (D-FETCH-2). */
  readonly forced: boolean;
  /** A directive or a resync requires the request (D-FETCH-10). */
  readonly isRequired: boolean;
}

/** How a slot is read. */
export interface ReadKind extends RequestKind {
  /** Similar reads follow in tasks of their own, because React renders each suspended component in its own task. */
  readonly isBatchable?: boolean;
}

/** The options of most reads. */
export const ordinary: RequestKind = { silent: false, forced: false, isRequired: false };

/** The options of directives and resyncs. */
export const refetch: RequestKind = { ...ordinary, isRequired: true };

/** The options of a request that serves both. */
export const jointKind = (a: RequestKind, b: RequestKind): RequestKind => ({
  silent: a.silent && b.silent,
  forced: a.forced || b.forced,
  isRequired: a.isRequired || b.isRequired,
});

/**
 * A slot is wanted until it has a response that is new enough. It waits for its window, for lists, or for a
 * request of its entry that is in flight. It is requested if that request does not return it (D-FETCH-2,
 * D-LEVEL-6).
 */
export interface FetchRequest extends RequestKind {
  /**
   * A response is new enough if its request has at least this order, unless the slot was marked stale after it.
   */
  readonly since: number;
  /**
   * The coalescing window (D-DIR-5, D-DIR-7), or the lists of the batch that may contain the item, until their first attempts have settled.
   * Empty while the slot waits for a request of its entry.
   */
  readonly waitsFor: readonly object[];
}

/** A sent request for one slot. */
export interface Flight {
  readonly slot: Slot;
  /** Its position in the order of requests, stale marks, and results. */
  readonly order: number;
  /** Its number, from which `qidOf` makes the query id. All requests that one call serves have the same number. */
  readonly queryNumber: number;
  readonly force: boolean;
  silent: boolean;
  /** A directive or a resync required the request (D-FETCH-10). */
  readonly isRequired: boolean;
}

/** The last failure. A later response removes it. */
export interface Failure {
  readonly thrown: unknown;
  /** What was thrown, wrapped if it is not an error. */
  readonly error: Error;
  /** Its position in the order of requests, stale marks, and results. */
  readonly order: number;
  /** The order of the request that failed. The response of an older request does not resolve the failure. */
  readonly requestedOrder: number;
}

export interface Slot {
  readonly entry: Entry;
  readonly level: string;
  payload: unknown;
  /** The time at which the payload was applied, or null. */
  fetchedAt: number | null;
  /** The order of the request or inline result that supplied the payload; 0 if there is none. */
  answeredOrder: number;
  /** The order of the last stale mark. A response to an earlier request is not fresh. */
  staleOrder: number;
  /** A list has stored the payload, and nothing has read it since. The first read is served without a request, whatever its age. */
  isUnread: boolean;
  failure: Failure | null;
  flight: Flight | null;
  wanted: FetchRequest | null;
}

/** One subscription. A callback that subscribes twice is called twice. */
export interface Watcher {
  readonly callback: () => void;
}

export interface Entry {
  readonly def: Def;
  /**
   * The cached levels (D-LEVEL-4), in the order in which they were first cached. When a level is added, the list
   * is replaced.
   */
  slots: readonly Slot[];
  /** Null until it is first needed. Only reference.ts assigns to it, to `data`, and to `view`. */
  ref: Reference | null;
  /** Whether `data` and `view` belong to the current state. Every visible change makes it false. */
  isShown: boolean;
  data: unknown;
  view: EntryView | null;
  /** The subscriptions; null if there are none. Most entries have at most one. */
  watchers: Watcher | Set<Watcher> | null;
  /** The time of the last read or watch. */
  usedAt: number;
  loading: boolean;
  /** The number of the newest request; 0 if there was none. */
  queryNumber: number;
  /** The order of the last stale mark of any level, cached or not. */
  staleOrder: number;
  /** The id of an item as it was first passed (D-REG-5), or the canonical params of a collection. */
  readonly id: Id;
  /** Undefined for an item. */
  readonly params: object | undefined;
}

/** An entry without slots, which is in no table. */
export const newEntry = (def: Def, id: Id, params: object | undefined, usedAt: number): Entry => ({
  // What a read of the data touches comes first, because it is spread over fewer cache lines then.
  ref: null,
  isShown: false,
  data: undefined,
  def,
  slots: [],
  view: null,
  watchers: null,
  usedAt,
  loading: false,
  queryNumber: 0,
  staleOrder: 0,
  id,
  params,
});

/** A slot without a request. */
export const newSlot = (entry: Entry, level: string): Slot => ({
  entry,
  level,
  payload: null,
  fetchedAt: null,
  answeredOrder: 0,
  staleOrder: entry.staleOrder, // Its response may have been requested before the mark (D-FETCH-2).
  isUnread: false,
  failure: null,
  flight: null,
  wanted: null,
});

export const emptyCollection: CollectionData = Object.freeze({ ids: Object.freeze([]), count: 0 });

export const watcherCount = ({ watchers }: Entry): number =>
  watchers instanceof Set ? watchers.size : Number(watchers !== null);

export const isWatched = ({ watchers }: Entry): boolean => watchers !== null;

/** Whether a request is in flight or wanted for the slot. */
export const isBusy = ({ flight, wanted }: Slot): boolean => flight !== null || wanted !== null;

/** Whether the slot waits for a request of its entry that is in flight. */
export const isQueued = ({ wanted }: Slot): boolean => wanted?.waitsFor.length === 0;

/**
 * Whether the slot counts as being requested. This includes a read that waits for its window, but not a directive
 * that waits for its window (D-FETCH-5).
 */
export const isRequested = (slot: Slot): boolean =>
  slot.flight !== null ||
  (slot.wanted !== null && !isQueued(slot) && !(slot.wanted.isRequired && slot.wanted.silent));

/** Whether a request in flight, or a wanted one, counts as loading (D-FETCH-5). */
export const isVisible = ({ flight, wanted }: Slot): boolean =>
  flight?.silent === false || wanted?.silent === false;

/**
 * The key of an entry in its definition's table. The ids `42` and `"42"` have the same key (D-REG-5). Numbers are faster to look up. The
 * canonical params of a collection are no number, and so their own key. So is `"NaN"`, because a key may be serialized.
 */
export const idKey = (id: Id): Id =>
  typeof id === 'string' && Number.isFinite(Number(id)) && String(Number(id)) === id ? Number(id) : id;

/** Whether the entry is still in its definition's table. An eviction removes it. */
export const isCached = (entry: Entry): boolean => entry.def.entries.get(idKey(entry.id)) === entry;

/** The public id of a request. */
export const qidOf = (query: number): string => `q${query}`;

/**
 * The request in flight whose response will be new enough, for the slot's level or for one that converts to it
 * (D-LEVEL-6).
 */
export function coveringFlight(slot: Slot): Flight | null {
  const { entry, level, staleOrder, answeredOrder } = slot;
  for (const { level: other, flight } of entry.slots)
    if (
      flight !== null &&
      flight.order > Math.max(staleOrder, answeredOrder) &&
      (other === level || reaches(entry.def.graph, other, level))
    )
      return flight;
  return null;
}
