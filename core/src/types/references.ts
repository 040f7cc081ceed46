// References: the stable objects through which readers access the cache.

import type { Id } from '../protocol/directive.ts';

/** The fields of `meta` that both kinds of references have. */
export interface EntryMeta {
  /** Whether a request that is not silent is in flight or queued; for an item, of any level. */
  readonly isLoading: boolean;
  /** The message of the most recent failure that no later response has resolved; null if there is none. */
  readonly error: string | null;
  /** The thrown value behind `error`; null if there is none. */
  readonly cause: unknown;
  /** The id of the latest query, as in the lifecycle events; null before the first one. */
  readonly activeQueryId: string | null;
  /**
   * When the entry was last read or watched, as an ISO string. The value is computed on access. Subscribers are
   * not notified when it changes.
   */
  readonly lastUsedAt: string;
  /**
   * Whether the entry is stale. For an item, whether any cached level is stale. The value is computed on access.
   * Subscribers are not notified when an entry becomes stale through age.
   */
  readonly isStale: boolean;
}

/** `meta` of an item reference. It is never changed, only replaced. */
export interface ItemMeta extends EntryMeta {
  /** The time at which a response of any level was last applied, as an ISO string. */
  readonly lastFetchedAny: string | null;
  /** The times at which the payloads of the cached levels were applied, as ISO strings. */
  readonly levelStamps: Readonly<Record<string, string | null>>;
  /** True for each level whose last request failed. Only `force` and directives request such a level again. */
  readonly failedLevels: Readonly<Record<string, boolean | undefined>>;
  /** The message of the last failure of each cached level; null if there is none. */
  readonly levelErrors: Readonly<Record<string, string | null>>;
}

/** The stable object for one item. `data` is the merge of all cached levels. */
export interface ItemReference<D = unknown> {
  /** The data; null before the first response. It is replaced as a whole, and never by an equal value. */
  readonly data: D | null;
  /** Replaced as a whole when a visible field changes. */
  readonly meta: ItemMeta;
}

/** `meta` of a collection reference. It is never changed, only replaced. */
export interface CollectionMeta<P = unknown> extends EntryMeta {
  /** When the last response was applied, as an ISO string. */
  readonly lastFetched: string | null;
  /** A deeply frozen copy of the params, or `undefined` if there are none. */
  readonly paramsSnapshot: P | undefined;
  /** The params as canonical JSON. `"{}"` if there are none. */
  readonly paramsKey: string;
}

/** The content of a list: ids only. */
export interface CollectionData<I extends Id = Id, Info = unknown> {
  /** Empty before the first response. */
  readonly ids: readonly I[];
  /** The number of all items, on all pages. 0 before the first response. */
  readonly count: number;
  /** Further data about the list, as the fetch function returned it. Absent if it returned none. */
  readonly info?: Info;
}

/** The stable object for one collection entry. */
export interface CollectionReference<P = unknown, I extends Id = Id, Info = unknown> {
  /** Replaced as a whole, and never by an equal value. */
  readonly data: CollectionData<I, Info>;
  /** Replaced as a whole when a visible field changes. */
  readonly meta: CollectionMeta<P>;
}

/** A reference of either kind. */
export type Reference = ItemReference | CollectionReference;
