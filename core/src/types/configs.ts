// What a type and a collection are registered with (document §2.6, §2.7).

import type { Id } from '../protocol/directive.ts';
import type { CollectionName, CollectionParams, LevelData, LevelName, TypeName } from './register.ts';
import type { StandardSchema } from './standardSchema.ts';

/** The last argument of every fetch function (D-REG-2). */
export interface FetchContext {
  /** Aborts on `dispose()` and when `timeoutMs` has passed. */
  readonly signal: AbortSignal;
  /** The level that is fetched, `'default'` where none was given and for collections. */
  readonly level: string;
  /** The id of this query, as in the lifecycle events. */
  readonly qid: string;
  /** Whether a directive, a resync or `force: true` asked for it. */
  readonly force: boolean;
}

/** The answer of a `bulkFetch`: matched by `getId`, or keyed by id (D-DIR-6). */
export type BulkAnswer<D = unknown> = readonly D[] | ReadonlyMap<Id, D> | { readonly [id: string]: D };

/** A value, at once or later. */
export type Later<D> = Promise<D> | D;

/** `A: ['B', 'C']`: a payload of A also is a payload of B and of C (D-LEVEL-2). */
export type LevelConversionMap = { readonly [level: string]: readonly string[] };

/** One level of detail of a type (document §2.6). */
export interface LevelConfig<D = unknown> {
  /** Fetches the payload; must return data or throw. */
  fetch: (id: Id, ctx: FetchContext) => Promise<D> | D;
  /** Whether a payload of another level has what this level needs (D-LEVEL-3). */
  checkIfExists?: (data: unknown) => boolean;
  /** Milliseconds until it is stale. Default: the type's. */
  stalenessMs?: number;
  /** Fetches many at once. Default: the type's. */
  bulkFetch?: (ids: Id[], level: string, ctx: FetchContext) => Promise<BulkAnswer<D>> | BulkAnswer<D>;
  /** What a payload of this level also answers; merged with the type's into one graph (D-LEVEL-2). */
  levelConversionMap?: LevelConversionMap;
  /** A payload that fails it is a fetch error. */
  schema?: StandardSchema;
  /** Milliseconds until a request fails with a `TimeoutError`; 0 = never. Default: the type's. */
  timeoutMs?: number;
}

/** What `createType` takes (document §2.6, D-REG-3). */
export interface TypeConfig<T extends TypeName = TypeName> {
  /** Fetches the default level; must return data or throw. */
  fetch: (id: Id, ctx: FetchContext) => Later<LevelData<T, 'default'>>;
  /** Fetches many at once, for every level that has none of its own. */
  bulkFetch?: (ids: Id[], level: string, ctx: FetchContext) => Promise<BulkAnswer> | BulkAnswer;
  /** Milliseconds until an entry is stale. Default 15000. */
  stalenessMs?: number;
  /** Which levels a payload of a level also answers (D-LEVEL-2). */
  levelConversionMap?: LevelConversionMap;
  /** Further levels of detail by name. An entry `default` adds options to the default level; its `fetch` is the type's unless it has one. */
  levels?: {
    [L in LevelName<T>]?:
      | LevelConfig<LevelData<T, L>>
      | (L extends 'default' ? Partial<LevelConfig<LevelData<T, L>>> : never);
  };
  /** A payload of the default level that fails it is a fetch error. */
  schema?: StandardSchema;
  /** Milliseconds until a request fails with a `TimeoutError`; 0 = never. Default 30000. */
  timeoutMs?: number;
  /** How an item of a bulk answer tells its id. Default `item.id`. */
  getId?: (item: never) => Id;
}

/** What a collection's fetch answers: ids only, never full items. `count` defaults to `ids.length`. */
export interface CollectionAnswer {
  /** In the order to be shown. */
  ids: readonly Id[];
  /** How many there are in all, with pages of them more than `ids`. Default `ids.length`. */
  count?: number;
}

/** What `createCollection` takes (document §2.7, D-REG-3). */
export interface CollectionConfig<C extends CollectionName = CollectionName> {
  /** Fetches one params set; gets a frozen copy of the params, or `undefined` when there are none. */
  fetch: (
    params: CollectionParams<C> | undefined,
    ctx: FetchContext,
  ) => Promise<CollectionAnswer> | CollectionAnswer;
  /** Milliseconds until an entry is stale. Default 15000. */
  stalenessMs?: number;
  /** An answer that fails it is a fetch error. */
  schema?: StandardSchema;
  /** Milliseconds until a request fails with a `TimeoutError`; 0 = never. Default 30000. */
  timeoutMs?: number;
}
