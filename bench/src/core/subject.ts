// What a library must do to be measured. An adapter does it the way the library's documentation advises.

import type { Backend, Item, Page, Params } from './backend.ts';

export interface Subject {
  /** The cached data, read without starting anything. */
  look: (id: number) => unknown;
  /** An ordinary read: served from the cache while fresh, else fetched, joining a request under way. */
  read: (id: number) => void;
  /** The payload that `look` found, to be held against the truth. */
  item: (id: number) => Item | undefined;
  /** What a mounted component does: reads, and is told of changes until it ends. */
  watch: (id: number, told: () => void) => () => void;
  /** One message of the server: these items changed. What is watched is fetched again. */
  invalidate: (ids: readonly number[]) => void;
  readList: (params: Params) => void;
  list: (params: Params) => Page | undefined;
  watchList: (params: Params, told: () => void) => () => void;
  /** One message: every params set of the list changed, or those that have `team`. What is watched is fetched again. */
  invalidateLists: (team?: number) => void;
  /** Makes many items cached and fresh by the cheapest way there is; untimed. */
  seed: (ids: readonly number[]) => void;
  /** Applies ready-made directives, where the library has such a thing. */
  apply?: (directives: readonly unknown[]) => void;
  dispose: () => void;
}

export interface Options {
  /** Fetch many items with one request where the library can. */
  bulk: boolean;
  /** Refetch what is held and not watched too, where the library can. */
  held: boolean;
}

export type CreateSubject = (backend: Backend, options: Options) => Subject;
