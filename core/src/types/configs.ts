// The configs of types and collections.

import type { Id } from '../protocol/directive.ts';
import type { ItemDefinition } from './definitions.ts';
import type {
  CollectionName,
  CollectionParams,
  LevelData,
  LevelPayload,
  LevelsOf,
  TypeName,
} from './register.ts';
import type { StandardSchema } from './standardSchema.ts';

/** The last argument of every fetch function. */
export interface FetchContext {
  /** Aborts on `dispose()` and when `timeoutMs` has passed. */
  readonly signal: AbortSignal;
  /** The requested level. It is `'default'` for collections and when no level was named. */
  readonly level: string;
  /** The id of this query, as in the lifecycle events. */
  readonly qid: string;
  /** Whether a directive, a resync, or `force: true` caused the request. */
  readonly force: boolean;
}

/** A value, or a promise of it. */
export type Later<D> = Promise<D> | D;

/** What `bulkFetch` returns: a list whose items are matched by `getId`, or a `Map` or plain object with the ids as keys. */
export type BulkResponse<D = unknown> = readonly D[] | ReadonlyMap<Id, D> | { readonly [id: string]: D };

/** `A: ['B', 'C']` means that a payload of level A contains everything that levels B and C need. */
export type LevelConversionMap = { readonly [level: string]: readonly string[] };

/** How often a failed request is sent again before it counts as failed. */
export interface RetryOptions {
  /** The number of additional attempts. */
  attempts: number;
  /** The wait before the first additional attempt, in milliseconds. It doubles with each attempt. Default 1000. */
  delayMs?: number | undefined;
  /** The longest wait, in milliseconds. Default 30000. */
  maxDelayMs?: number | undefined;
  /** Returns false for an error that another attempt cannot resolve. Default: every error is retried. */
  retryOn?: ((error: unknown) => boolean) | undefined;
}

/** The number of additional attempts, or the options for them. */
export type Retry = number | RetryOptions;

/** Options for every kind of request. */
export interface FetchSettings {
  /** Milliseconds after which data is stale. Default 15000; a level uses the value of its type. */
  stalenessMs?: number | undefined;
  /** A response that fails this schema is a fetch error. */
  schema?: StandardSchema | undefined;
  /** Milliseconds until an attempt fails with a `TimeoutError`; 0 means never. Default 30000; a level uses the value of its type. */
  timeoutMs?: number | undefined;
  /** Additional attempts after a failed one. Default 0; a level uses the value of its type. */
  retry?: Retry | undefined;
}

type BulkFetch<D, I extends Id> = (ids: I[], level: string, ctx: FetchContext) => Later<BulkResponse<D>>;

/** One level of detail of a type. */
export interface LevelConfig<D = unknown, I extends Id = Id> extends FetchSettings {
  /** Returns the payload or throws. `null` means that the item does not exist at this level. */
  fetch: (id: I, ctx: FetchContext) => Later<D>;
  /** Fetches many payloads in one request. Default: the `bulkFetch` of the type. */
  bulkFetch?: BulkFetch<NoInfer<D>, I> | undefined;
  /** Whether a payload of another level contains what this level needs. Default: the conversion maps decide alone. */
  checkIfExists?: ((data: unknown) => boolean) | undefined;
  /** Further conversions, merged with those of the type. */
  levelConversionMap?: LevelConversionMap | undefined;
}

/** What `defineItem` and `createType` accept. `I` is the type of the ids, `D` the payload of the default level, `L` those of the others. */
export interface ItemConfig<
  I extends Id = Id,
  D = unknown,
  L = Record<string, unknown>,
> extends FetchSettings {
  /** Fetches the default level. Returns the payload or throws. `null` means that the item does not exist. */
  fetch: (id: I, ctx: FetchContext) => Later<D>;
  /** Fetches many items in one request, for the default level and for every level without a `bulkFetch` of its own. */
  bulkFetch?: BulkFetch<NoInfer<D>, I> | undefined;
  /** Returns the id of an item of a list or of a `bulkFetch`. Default `item.id`. Annotate `item` if you write this above `fetch`. */
  getId?: ((item: unknown extends D ? never : NonNullable<NoInfer<D>>) => Id) | undefined;
  /** Further levels of detail by name. An entry `default` adds settings to the default level and needs no `fetch`. */
  levels?:
    | { [K in keyof L]?: 'default' extends K ? Partial<LevelConfig<NoInfer<D>, I>> : LevelConfig<L[K], I> }
    | undefined;
  /** The other levels that the payload of a level covers. */
  levelConversionMap?: LevelConversionMap | undefined;
}

/** What `createType` accepts. */
export type TypeConfig<T extends TypeName = TypeName> = ItemConfig<Id, LevelData<T>, LevelsOf<T>>;

/** The response of the fetch function of a collection. Items and arrays are accepted with `of` only. */
export type ListResponse<I = Id, Item = unknown, Info = unknown> =
  | readonly Item[]
  | {
      /** The items, in the order in which they are shown. */
      readonly items: readonly Item[];
      /** The number of all items, on all pages. Default: the number of `items`. */
      readonly count?: number | undefined;
      /** Any further data about the list: cursors, totals, facets. */
      readonly info?: Info | undefined;
    }
  | {
      /** The ids, in the order in which the items are shown. */
      readonly ids: readonly I[] & readonly Id[];
      /** The number of all items, on all pages. Default: the number of `ids`. */
      readonly count?: number | undefined;
      /** Any further data about the list: cursors, totals, facets. */
      readonly info?: Info | undefined;
    };

/** What `defineCollection` accepts. `P` is the type of the params, `Of` what `of` accepts, and `Item` what the list may contain. */
export interface ListConfig<
  P = object | undefined,
  I = Id,
  Info = unknown,
  Of = ItemDefinition | string,
  L = string,
  Item = unknown,
> extends FetchSettings {
  /** Fetches the list for one set of params. The params are a frozen copy, or `undefined` if there are none. */
  fetch: (params: P, ctx: FetchContext) => Later<ListResponse<I, Item, Info>>;
  /** The type of the items, as a definition or a name. With it, `fetch` may return items, which are stored. */
  of?: Of | undefined;
  /** The level of the items that `fetch` returns. Default `'default'`. */
  level?: L | undefined;
}

/** What `createCollection` accepts. */
export type CollectionConfig<C extends CollectionName = CollectionName> = ListConfig<
  CollectionParams<C> | undefined
>;

/** The levels that `level` of a collection may name. */
export type ItemLevelName<Levels> = [Levels] extends [never] ? string : keyof Levels & string;

/** A collection without `of` returned items. The compiler names this type in its message. No value has it. */
export interface ItemsNeedTheOptionOf {
  /** Only for the compiler. */
  readonly '~needs': never;
}

/** The items that a list may return: payloads of level `L` of the type in `of`. Without `of`, a list returns no items. */
export type ListItem<Levels, L> = [Levels] extends [never]
  ? ItemsNeedTheOptionOf
  : NonNullable<LevelPayload<Levels, [L] extends [never] ? 'default' : L>>;

/**
 * The argument from which the types of a collection are inferred.
 *
 * `Levels` has the payloads of a definition in `of`, `Named` those of a type that a string in `of` names, and `Given` is the whole type of
 * the argument.
 */
export type ListArgument<P, I, Info, Levels extends object, O extends string, L, Named, Given> =
  | ListConfig<
      P,
      I,
      Info,
      ItemDefinition<string, I, Levels> | `${O}`,
      L,
      ListItem<[O] extends [never] ? Levels : Named, L>
    >
  // A declared type such as `CollectionConfig` does not state the items.
  | (Given extends ListConfig<P> ? (ListConfig<P>['fetch'] extends Given['fetch'] ? Given : never) : never);
