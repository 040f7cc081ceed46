// What a library must do to be measured. An adapter does it the way the library's documentation advises.

import type { Backend, Item, Page, Params } from './backend.ts';

/** What happens when a message arrives. */
export type Arrive = () => void;

export interface Subject {
  /** The cached data, read without starting anything. */
  look: (id: number) => unknown;
  /** An ordinary read: served from the cache while fresh, else fetched, joining a request under way. */
  read: (id: number) => void;
  /** Fetches an item that is not cached, and resolves to its data. */
  load: (id: number) => Promise<unknown>;
  /** The payload that `look` found, to compare with the server's. */
  item: (id: number) => Item | undefined;
  /** Like a mounted component: reads, and receives the data to show until it unmounts. */
  watch: (id: number, told: (shown: unknown) => void) => () => void;
  /** A message of the server about changed items. The returned function delivers it, and the watched ones are fetched again. */
  invalidation: (ids: readonly number[]) => Arrive;
  readList: (params: Params) => void;
  list: (params: Params) => Page | undefined;
  watchList: (params: Params, told: (shown: unknown) => void) => () => void;
  /** One message: every params set of the list changed, or those that have `team`. */
  listInvalidation: (team?: number) => Arrive;
  /** Makes many items cached and fresh by the cheapest way there is; untimed. */
  seed: (ids: readonly number[]) => void;
  dispose: () => void;
}

export interface Options {
  /** Fetch many items with one request where the library can. */
  bulk: boolean;
  /** Refetch what is held and not watched too, where the library can. */
  held: boolean;
}

export type CreateSubject = (backend: Backend, options: Options) => Subject;
