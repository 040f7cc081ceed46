// The interface between the benchmarks and a library. An adapter implements it as the library's documentation recommends.

import type { Backend, Item, Page, Params } from './backend.ts';

/** Delivers a message of the server. */
export type Arrive = () => void;

export interface Subject {
  /** Returns the cached data, and starts no request. */
  look: (id: number) => unknown;
  /** An ordinary read. Fresh data comes from the cache. Otherwise the read joins a request in flight or starts one. */
  read: (id: number) => void;
  /** Fetches an item that is not cached, and resolves to its data. */
  load: (id: number) => Promise<unknown>;
  /** The cached payload, for the comparison with the server's data. */
  item: (id: number) => Item | undefined;
  /** Reads like a mounted component, and passes the data to `told` until the returned function is called. */
  watch: (id: number, told: (shown: unknown) => void) => () => void;
  /** Creates a message about changed items. The returned function delivers it, and the library fetches the watched ones again. */
  invalidation: (ids: readonly number[]) => Arrive;
  readList: (params: Params) => void;
  list: (params: Params) => Page | undefined;
  watchList: (params: Params, told: (shown: unknown) => void) => () => void;
  /** Creates one message: all params sets of the list changed, or only those with `team`. */
  listInvalidation: (team?: number) => Arrive;
  /** Caches many items as fresh in the cheapest way. It is not timed. */
  seed: (ids: readonly number[]) => void;
  dispose: () => void;
}

export interface Options {
  /** Whether to fetch many items with one request, if the library supports it. */
  bulk: boolean;
  /** Whether to refetch cached items without watchers too, if the library supports it. */
  held: boolean;
}

export type CreateSubject = (backend: Backend, options: Options) => Subject;
