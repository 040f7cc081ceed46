// What a reader of the cache gets (document §2.4, §2.5).

import type { Id } from '../protocol/directive.ts';

/** `meta` of an item reference (document §2.4). Immutable, replaced whole. */
export interface ItemMeta {
  /** Whether a request that is not silent is under way or queued, for any level. */
  readonly isLoading: boolean;
  /** When any level was last applied, ISO. */
  readonly lastFetchedAny: string | null;
  /** Per held level, when its payload was applied, ISO. */
  readonly levelStamps: Readonly<Record<string, string | null>>;
  /** True for each level whose last fetch failed; nothing retries it but `force` and directives. */
  readonly failedLevels: Readonly<Record<string, boolean | undefined>>;
  /** Per held level, the message of its last failure; null when it has none. */
  readonly levelErrors: Readonly<Record<string, string | null>>;
  /** The message of the most recent failure that no later answer has resolved; null when there is none. */
  readonly error: string | null;
  /** What was thrown, of the failure behind `error`; null when there is none (D-FETCH-7). */
  readonly cause: unknown;
  /** The id of the latest query, as in the lifecycle events; null before the first. */
  readonly activeQueryId: string | null;
  /** When it was last read or watched, ISO. Computed when read; a change of it notifies nobody. */
  readonly lastUsedAt: string;
  /** Whether any held level is stale. Computed when read; a change of it notifies nobody. */
  readonly isStale: boolean;
}

/** An item's stable public face (document §2.4). `data` is the partial merge of the held levels. */
export interface ItemReference<D = unknown> {
  /** Null before the first answer. Replaced whole, and never by an equal one (D-LEVEL-7). */
  readonly data: D | null;
  /** Replaced whole when anything visible changes. */
  readonly meta: ItemMeta;
}

/** `meta` of a collection reference (document §2.5). Immutable, replaced whole. */
export interface CollectionMeta<P = unknown> {
  /** Whether a request that is not silent is under way or queued. */
  readonly isLoading: boolean;
  /** When the last answer was applied, ISO. */
  readonly lastFetched: string | null;
  /** The message of the last failure; null after a success. */
  readonly error: string | null;
  /** What was thrown, of the failure behind `error`; null when there is none (D-FETCH-7). */
  readonly cause: unknown;
  /** The id of the latest query, as in the lifecycle events; null before the first. */
  readonly activeQueryId: string | null;
  /** A deeply frozen copy of the params, or `undefined` when there are none. */
  readonly paramsSnapshot: P | undefined;
  /** Canonical JSON of the params, `"{}"` for none (D-PARAM-1). */
  readonly paramsKey: string;
  /** When it was last read or watched, ISO. Computed when read; a change of it notifies nobody. */
  readonly lastUsedAt: string;
  /** Whether it is stale. Computed when read; a change of it notifies nobody. */
  readonly isStale: boolean;
}

/** What a collection reference holds: ids only. */
export interface CollectionData<I extends Id = Id, Info = unknown> {
  /** Empty before the first response. */
  readonly ids: readonly I[];
  /** The number of all items, on all pages. 0 before the first response. */
  readonly count: number;
  /** Further data about the list, as the fetch function returned it. Absent if it returned none. */
  readonly info?: Info;
}

/** A cached params set's stable public face (document §2.5). */
export interface CollectionReference<P = unknown, I extends Id = Id, Info = unknown> {
  /** Replaced whole, and never by an equal one (D-LEVEL-7). */
  readonly data: CollectionData<I, Info>;
  /** Replaced whole when anything visible changes. */
  readonly meta: CollectionMeta<P>;
}

/** Either kind of reference. */
export type Reference = ItemReference | CollectionReference;
