// The messages on the wire: directives of the server contract, the legacy client shape, and the envelope of the stream.

import type { CollectionName, CollectionParams, LevelData, LevelName, TypeName } from '../types/register.ts';

/** The id of an item. `42` and `"42"` are the same item. */
export type Id = string | number;

/** Optional metadata of every directive. */
export interface DirectiveMeta {
  /** A client ignores a second directive with a key that it received in the last 5 minutes. */
  idempotency_key?: string | null | undefined;
  /** When the change occurred, in milliseconds since the epoch. Informational only. */
  timestamp?: number | null | undefined;
  /** The clients that receive it. Default `global`. */
  audience?: string | null | undefined;
  /** The id of the client whose request caused it. That client ignores the directive when it is pushed. */
  source?: string | null | undefined;
  /** The sequence number of the audience. Inline results are ordered by it. */
  seq?: number | null | undefined;
}

/** A collection changed. Clients refetch the lists that they cache. */
export interface RefreshCollectionDirective<C extends CollectionName = CollectionName> extends DirectiveMeta {
  /** Distinguishes the directives. */
  op: 'refresh_collection';
  /** The name of the collection. */
  name: C;
  /** The lists to refresh. Default: all lists of the collection. With `contains`, some of the params are enough. */
  params?: Partial<CollectionParams<C>> | null | undefined;
  /** `exact` (default): lists with equal params. `contains`: lists whose params include the given ones. */
  params_mode?: 'exact' | 'contains' | null | undefined;
  /** The new content of the list: `{ ids, count?, info? }`. */
  result?: unknown;
}

/** The inline result of an item: a payload of the named level, or of any level. `null` means that the item does not exist. */
export type ItemResult<T extends TypeName = TypeName, L extends LevelName<T> = LevelName<T>> =
  LevelData<T, L> extends infer D ? D | null | undefined : never;

/** An item changed. Clients refetch the levels that they cache, or the named level. */
export interface RefreshItemDirective<T extends TypeName = TypeName> extends DirectiveMeta {
  /** Distinguishes the directives. */
  op: 'refresh_item';
  /** The name of the type. */
  name: T;
  /** The id of the item. */
  id: Id;
  /** The level that changed. Default: the levels that each client caches. */
  level?: LevelName<T> | null | undefined;
  /** The new payload. `null` is a payload; without `level` it means that the item does not exist anymore. */
  result?: ItemResult<T>;
}

/** Several directives as one. Its metadata applies to the targets that have none of their own. */
export interface InvalidateDirective extends DirectiveMeta {
  /** Distinguishes the directives. */
  op: 'invalidate';
  /** Nested at most 8 deep, with at most 10,000 directives in all. */
  targets: readonly Directive[];
}

/** Reloads the page of every client, including the one that caused it. */
export interface ForceReloadPageDirective extends DirectiveMeta {
  /** Distinguishes the directives. */
  op: 'force_reload_page';
  /** Whether to bypass the caches of the browser. Default false. */
  hard?: boolean | null | undefined;
}

/** A directive of the server contract. With a `Register`, it names registered collections and types only. */
export type Directive =
  | { [C in CollectionName]: RefreshCollectionDirective<C> }[CollectionName]
  | { [T in TypeName]: RefreshItemDirective<T> }[TypeName]
  | InvalidateDirective
  | ForceReloadPageDirective;

/** Every item of a type may have changed. It is an extension of the server contract: only Edict clients understand it. */
export interface TypeInvalidate<T extends TypeName = TypeName> extends DirectiveMeta {
  /** Distinguishes the directives. Without `targets`, it is the legacy `invalidate`. */
  op: 'invalidate';
  /** Selects items. */
  kind: 'item';
  /** The name of the type. */
  name: T;
}

/** The legacy shape of a directive, which `applyDirectives` accepts too. Its `invalidate` has no `targets`. */
export interface ClientDirective {
  /** `refresh` refetches what is cached. `invalidate` marks it stale and refetches only what is watched. */
  op: 'refresh' | 'invalidate';
  /** Default: `item` if there is an `id`, otherwise the kind that is registered under the name. */
  kind?: 'collection' | 'item' | null | undefined;
  /** The name of the collection or the type. */
  name: string;
  /** The id of the item. An `invalidate` of an item without an id means every item of the type. */
  id?: Id | null | undefined;
  /** The level that changed. Default: the levels that each client caches. */
  level?: string | null | undefined;
  /** Another name of `idempotency_key`. */
  key?: string | null | undefined;
  /** The params of the list, which must be equal. */
  params?: unknown;
  /** A client ignores a second directive with a key that it received in the last 5 minutes. */
  idempotency_key?: string | null | undefined;
  /** The id of the client whose request caused it. */
  source?: string | null | undefined;
  /** The sequence number of the audience. */
  seq?: number | null | undefined;
  /** The clients that receive it. Default `global`. */
  audience?: string | null | undefined;
}

/** One message of the event stream. An empty list of directives is a position: a heartbeat or a greeting. */
export interface Envelope {
  /** Clients ignore envelopes of other types. */
  type: 'directives';
  /** The sequence number of this envelope in its audience. An empty envelope has the current number. */
  seq?: number | null | undefined;
  /** The audience whose sequence it belongs to. Default `global`. */
  audience?: string | null | undefined;
  /** The source of the directives that have none of their own. */
  source?: string | null | undefined;
  /** Each directive is validated alone. A client drops an invalid one and applies the others. */
  directives: readonly unknown[];
  /** In a greeting: whether every message that the client missed was replayed. */
  recovered?: boolean | null | undefined;
  /** In a greeting: the interval of the hub's heartbeats, in milliseconds. */
  heartbeat_ms?: number | null | undefined;
}
