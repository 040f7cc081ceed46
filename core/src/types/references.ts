// References: the stable objects through which readers see the cache.

import type { Id } from '../protocol/directive.ts';

/** What `meta` of both kinds of references has. */
export interface EntryMeta {
  /** Whether a request that is not silent is in flight or queued; for an item, of any level. */
  readonly isLoading: boolean;
  /** The message of the most recent failure that no later response has resolved; null if there is none. */
  readonly error: string | null;
  /** The thrown value behind `error`; null if there is none. */
  readonly cause: unknown;
  /** The id of the latest query, as in the lifecycle events; null before the first one. */
  readonly activeQueryId: string | null;
  /** When the entry was last read or watched, as an ISO string. It is computed when it is read. A change of it notifies no subscriber. */
  readonly lastUsedAt: string;
  /**
   * Whether the entry is stale; for an item, whether any cached level is. It is computed when it is read. The passage of time notifies no
   * subscriber.
   */
  readonly isStale: boolean;
}

/** `meta` of an item reference. It is never changed, only replaced. */
export interface ItemMeta extends EntryMeta {
  /** When a response of any level was last applied, as an ISO string. */
  readonly lastFetchedAny: string | null;
  /** When the payload of each cached level was applied, as an ISO string. */
  readonly levelStamps: Readonly<Record<string, string | null>>;
  /** True for each level whose last request failed. Only `force` and directives request such a level again. */
  readonly failedLevels: Readonly<Record<string, boolean | undefined>>;
  /** The message of the last failure of each cached level; null if there is none. */
  readonly levelErrors: Readonly<Record<string, string | null>>;
}

/** The stable object for one item. `data` is the merge of all cached levels. */
export interface ItemReference<D = unknown> {
  /** Null before the first response. It is replaced as a whole, and never by an equal value. */
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
