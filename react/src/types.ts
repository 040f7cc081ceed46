// What the hooks return and take.

import type { CollectionData, CollectionMeta, ItemMeta, LevelData, LevelName, TypeName } from '@edict/core';

/** The level where none is given: every type has it. */
export type DefaultLevel<T extends TypeName> = Extract<'default', LevelName<T>>;

/** What stands in the place of a level: its name, or nothing for the default (D-REG-6). */
export type GivenLevel<T extends TypeName> = LevelName<T> | null | undefined;

/** The payload of the level that is given. */
export type GivenLevelData<T extends TypeName, L> = LevelData<
  T,
  L extends null | undefined ? DefaultLevel<T> : L
>;

/** Null until there is an answer. */
export type OrNull<D> = D | null;

/** What a hook adds to `meta` of a reference. @inline */
interface HookMeta {
  /**
   * Whether a request that is not silent is under way or queued; also true, from the first render on, until something that
   * was never fetched is there or has failed (D-REACT-5).
   */
  readonly isLoading: boolean;
  /** Whether `data` belongs to earlier arguments (`keepPrevious`, D-REACT-4). */
  readonly isPrevious: boolean;
  /** ISO, of the moment the snapshot was made; null where nothing is read. */
  readonly lastUsedAt: string | null;
}

/**
 * `meta` of an item's snapshot. Reading a field makes the component depend on it (D-REACT-3). The fields are getters: read or
 * destructure them, a spread of `meta` copies none.
 */
export type ItemSnapshotMeta = Omit<ItemMeta, keyof HookMeta> & HookMeta;

/** `meta` of a collection's snapshot; as `ItemSnapshotMeta`. */
export type CollectionSnapshotMeta<P = unknown> = Omit<CollectionMeta<P>, keyof HookMeta> & HookMeta;

/** One row of `useItems`. */
export interface ItemRow<D> {
  /** Null until the level has been fetched, derived or given inline (D-REACT-5). */
  readonly data: D;
  /** As in the reference, with what the hook adds. */
  readonly meta: ItemSnapshotMeta;
}

/**
 * What `useItem` returns (D-REACT-3). A field that was read never changes its value; when it would, there is a new snapshot.
 * Destructure it: to spread or serialise it reads every field, and so does React's own profiling in development when it is
 * handed on as a prop.
 */
export interface ItemSnapshot<D> extends ItemRow<D> {
  /** Fetches again, although fresh or failed. The same function as long as the arguments are. */
  readonly refresh: () => void;
}

/** What `useCollection` returns; as `ItemSnapshot`. */
export interface CollectionSnapshot<D = CollectionData, P = unknown> {
  /** Without an answer yet: no ids, count 0. */
  readonly data: D;
  /** As in the reference, with what the hook adds. */
  readonly meta: CollectionSnapshotMeta<P>;
  /** Fetches again, although fresh or failed. The same function as long as the arguments are. */
  readonly refresh: () => void;
}

/** Makes `data` of what it would be (D-REACT-7). */
export interface SelectOptions<D, R> {
  /** Called with what `data` would be; its result is `data`. May be written inline. */
  select?: ((data: D) => R) | undefined;
  /** Whether two results, without a `select` two data, are the same. Default: deep equality, as between two answers (D-LEVEL-7). */
  isEqual?: ((a: R, b: R) => boolean) | undefined;
}

/** Whether and how to read. */
export interface ReadOptions {
  /** False: nothing is fetched and the snapshot is empty (D-REACT-2). Default true. */
  enabled?: boolean | undefined;
  /** No loading state. Default false. */
  silent?: boolean | undefined;
}

/** Options of `useItem`. */
export interface UseItemOptions<D, R> extends ReadOptions, SelectOptions<OrNull<D>, R> {
  /** Shows the last data while new arguments load (`meta.isPrevious`). Default false. */
  keepPrevious?: boolean | undefined;
}

/** Options of `useCollection`. */
export interface UseCollectionOptions<P, R> extends ReadOptions, SelectOptions<CollectionData, R> {
  /** Filter and query parameters; equal ones are one entry, whatever their identity (D-PARAM-1). */
  params?: P | null | undefined;
  /** Shows the last ids while new params load (`meta.isPrevious`). Default false. */
  keepPrevious?: boolean | undefined;
}

/** Options of `useSuspenseCollection`. */
export interface UseSuspenseCollectionOptions<P, R> extends SelectOptions<CollectionData, R> {
  /** Filter and query parameters; equal ones are one entry, whatever their identity (D-PARAM-1). */
  params?: P | null | undefined;
}

/** Options of `useInfiniteCollection`. */
export interface UseInfiniteCollectionOptions<P> extends ReadOptions {
  /**
   * The params of the page behind these, of the first one where there are none; null or undefined: these are all. Called while rendering:
   * pure, and may be written inline.
   */
  nextParams: (pages: readonly CollectionData[]) => P | null | undefined;
  /** How many pages there are at first, and again for another first page. A whole number, default 1. */
  initialPages?: number | undefined;
  /** Shows the last ids while another first page loads (`meta.isPrevious`). Default false. */
  keepPrevious?: boolean | undefined;
}

/** `meta` of a list that grows. Reading a field makes the component depend on it (D-REACT-3). */
export interface InfiniteCollectionMeta {
  /** Whether any page is loading. */
  readonly isLoading: boolean;
  /** Whether a page behind the first is loading that has nothing to show yet. */
  readonly isLoadingNextPage: boolean;
  /** Whether `data` belongs to another first page (`keepPrevious`). */
  readonly isPrevious: boolean;
  /** The message of the first page's failure that has one; null where none has. */
  readonly error: string | null;
  /** What was thrown there. */
  readonly cause: unknown;
  /** When the first page's last answer was applied, ISO; null: there is none, so an empty list is not yet known to be empty. */
  readonly lastFetched: string | null;
  /** Whether any page is stale; of the moment the snapshot was made. */
  readonly isStale: boolean;
}

/** What `useInfiniteCollection` returns. */
export interface InfiniteCollectionSnapshot {
  /** The ids of all pages, each once; `count` is that of the first page, or the number of the ids where there are more. */
  readonly data: CollectionData;
  /** Of all pages together. */
  readonly meta: InfiniteCollectionMeta;
  /** Whether there is a page behind those that are there; true too while it is loading or has failed. */
  readonly hasNextPage: boolean;
  /** Asks for the next page; again where it has failed. Does nothing while it is loading, and where there is none. Always the same function. */
  readonly fetchNextPage: () => void;
  /** Fetches all pages again, although fresh or failed. Always the same function. */
  readonly refresh: () => void;
}
