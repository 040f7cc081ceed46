// The options and results of the hooks.

import type { CollectionData, CollectionMeta, Id, ItemMeta, LevelPayload } from '@edict/core';

/** The payload of the level that was passed. `Levels` has the payload of each level by its name. */
export type LevelArgumentData<Levels, L> = LevelPayload<Levels, L extends null | undefined ? 'default' : L>;

/** The fields that a hook adds to the `meta` of a reference. @inline */
interface HookMeta {
  /**
   * Whether a request that is not silent is in flight or queued. Also true from the first render until the level
   * was fetched or has failed.
   */
  readonly isLoading: boolean;
  /** Whether `data` belongs to earlier arguments (`keepPrevious`). */
  readonly isPrevious: boolean;
  /** An ISO time, as it was when the snapshot was created. Null if nothing is read. */
  readonly lastUsedAt: string | null;
  /** Whether any cached level is stale. The passage of time alone does not render the component again. */
  readonly isStale: boolean;
}

/** `meta` of an item's snapshot. Reading a field makes the component depend on it. A spread reads and copies every field. */
export type ItemSnapshotMeta = Omit<ItemMeta, keyof HookMeta> & HookMeta;

/** `meta` of a collection's snapshot. Reading a field makes the component depend on it. A spread reads and copies every field. */
export type CollectionSnapshotMeta<P = unknown> = Omit<CollectionMeta<P>, keyof HookMeta> & HookMeta;

/** The fields that every snapshot has. @inline */
interface SnapshotFields {
  /** The most recent failure that no later response has resolved. A thrown value that is no `Error` is wrapped, with the value as `cause`. */
  readonly error: Error | null;
  /** Whether there is nothing to show yet and no error. False when `enabled` is false. */
  readonly isPending: boolean;
  /** The same as `meta.isLoading`. */
  readonly isFetching: boolean;
  /** The same as `meta.isStale`. */
  readonly isStale: boolean;
  /** Requests the data again, even if it is fresh or has failed. The function stays the same while the arguments do. */
  readonly refresh: () => void;
}

/**
 * What `useItem` returns, and each row of `useItems`. A snapshot never changes. When a field that was read would change, the component renders
 * with a new snapshot. Spreading or serializing a snapshot reads every field. So does React's profiling in development when a snapshot is
 * passed as a prop.
 */
export interface ItemSnapshot<D = unknown> extends SnapshotFields {
  /** The result of `select`, or the item. Null until the level was fetched, derived, or contained in a directive. */
  readonly data: D;
  /** Whether the server reported that the item does not exist: all its fetched levels are null. */
  readonly isGone: boolean;
  /** The `meta` of the reference, and the fields that the hook adds. */
  readonly meta: ItemSnapshotMeta;
}

/** What `useCollection` returns. The rules of `ItemSnapshot` apply. */
export interface CollectionSnapshot<D = CollectionData, P = unknown> extends SnapshotFields {
  /** The result of `select`, or `{ ids, count, info? }`. No ids and count 0 before the first response. */
  readonly data: D;
  /** The `meta` of the reference, and the fields that the hook adds. */
  readonly meta: CollectionSnapshotMeta<P>;
}

/** Options that derive `data`. */
export interface SelectOptions<D, R> {
  /** Receives the value that `data` would have, and returns the new `data`. It may be written inline. */
  select?: ((data: D) => R) | undefined;
  /** Whether two results are equal. Without `select`, it compares the data itself. Default: deep equality. */
  isEqual?: ((a: R, b: R) => boolean) | undefined;
}

/** Options that control whether and how a hook reads. */
export interface ReadOptions {
  /** Whether the hook reads. If false, nothing is fetched, and the snapshot is empty. Default true. */
  enabled?: boolean | undefined;
  /** Whether requests run without a loading state. Default false. */
  silent?: boolean | undefined;
}

/** Options of `useItem`. */
export interface UseItemOptions<D, R> extends ReadOptions, SelectOptions<D | null, R> {
  /** Shows the last data while new arguments load (`meta.isPrevious`). Default false. */
  keepPrevious?: boolean | undefined;
}

/** Options of `useCollection`. `params` is required if the params type of the collection has required fields. */
export interface UseCollectionOptions<P, R, D = CollectionData> extends ReadOptions, SelectOptions<D, R> {
  /** Filters and query parameters. Equal params share one entry, even if they are different objects. */
  params?: P | null | undefined;
  /** Shows the last ids while new params load (`meta.isPrevious`). Default false. */
  keepPrevious?: boolean | undefined;
}

/** Options of `useSuspenseCollection`. `params` is required if the params type of the collection has required fields. */
export interface UseSuspenseCollectionOptions<P, R, D = CollectionData> extends SelectOptions<D, R> {
  /** Filters and query parameters. Equal params share one entry, even if they are different objects. */
  params?: P | null | undefined;
}

/** One page of `useInfiniteCollection`, as the server returned it. */
export type InfinitePage<I extends Id = Id, Info = unknown> = CollectionData<I, Info>;

/** Options of `useInfiniteCollection`. */
export interface UseInfiniteCollectionOptions<P, I extends Id = Id, Info = unknown> extends ReadOptions {
  /**
   * Returns the next page's params, or null when there are no more pages. It is called with the last page and all
   * pages while rendering, so it must be pure. It may be written inline. Without `params`, it is called with
   * `(undefined, [])` for the first page.
   */
  nextParams: (
    lastPage: InfinitePage<I, Info> | undefined,
    pages: readonly InfinitePage<I, Info>[],
  ) => P | null | undefined;
  /** The params of the first page. Null: the collection without params. */
  params?: P | null | undefined;
  /** How many pages are shown at first, and again after the first page's params changed. A whole number, default 1. */
  initialPages?: number | undefined;
  /** Shows the last ids while another first page loads (`meta.isPrevious`). Default false. */
  keepPrevious?: boolean | undefined;
}

/** `meta` of `useInfiniteCollection`. Reading a field makes the component depend on it. The fields without a comment are those of the first page. */
export interface InfiniteCollectionMeta<P = unknown> extends CollectionSnapshotMeta<P> {
  /** Whether any page is loading. */
  readonly isLoading: boolean;
  /** Whether a page after the first is loading and has nothing to show yet. */
  readonly isLoadingNextPage: boolean;
  /** Whether `data` belongs to another first page (`keepPrevious`). */
  readonly isPrevious: boolean;
  /** The error message of the first page that has one, or null. */
  readonly error: string | null;
  /** The thrown value. */
  readonly cause: unknown;
  /** When the first page's last response was applied, ISO. Null before the first response, so an empty list differs from an unknown one. */
  readonly lastFetched: string | null;
  /** Whether any page is stale. */
  readonly isStale: boolean;
}

/** What `useInfiniteCollection` returns. The rules of `ItemSnapshot` apply. */
export interface InfiniteCollectionSnapshot<I extends Id = Id, P = unknown> extends SnapshotFields {
  /**
   * The ids of all pages, each once. `count` is that of the first page, or the number of ids if there are more. `info` belongs to a page: `nextParams`
   * receives it, and `useCollection` with the params of the page returns it.
   */
  readonly data: CollectionData<I>;
  /** For all pages together. */
  readonly meta: InfiniteCollectionMeta<P>;
  /** Whether there is another page. Also true while that page is loading or has failed. It stays the same while the pages behind a moved cursor load. */
  readonly hasNextPage: boolean;
  /** Requests the next page, also after it failed. Does nothing while it is loading, and after the last page. Always the same function. */
  readonly fetchNextPage: () => void;
}
