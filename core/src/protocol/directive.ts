// What travels: the server's directives (document §2.1), the client shape (§2.2) and the envelope (§2.3).

import type { CollectionName, CollectionParams, LevelData, LevelName, TypeName } from '../types/register.ts';

/** An item identifier. `42` and `"42"` name the same item (D-REG-5). */
export type Id = string | number;

/** Optional metadata that every directive accepts (§2.1, §4.6). */
export interface DirectiveMeta {
  /** A second directive with a key seen in the last 5 minutes is ignored. */
  idempotency_key?: string | null | undefined;
  /** Milliseconds since the epoch when the change occurred. Informational, orders nothing. */
  timestamp?: number | null | undefined;
  /** Who it is for; `global` where none is given. */
  audience?: string | null | undefined;
  /** The id of the client whose request caused it. */
  source?: string | null | undefined;
  /** The audience's sequence number; orders inline results (D-DIR-9). */
  seq?: number | null | undefined;
}

/** A collection changed: refetch its cached parameter sets (§4.5). */
export interface RefreshCollectionDirective<C extends CollectionName = CollectionName> extends DirectiveMeta {
  /** Selects the type of directive. */
  op: 'refresh_collection';
  /** The collection. */
  name: C;
  /** Which parameter sets; all of them when absent. With `contains` some of the params will do. */
  params?: Partial<CollectionParams<C>> | null | undefined;
  /** `exact` (default): equal params. `contains`: params that include the given ones. */
  params_mode?: 'exact' | 'contains' | null | undefined;
  /** The new answer inline: `{ ids, count? }` (D-DIR-8). */
  result?: unknown;
}

/** What an item's inline `result` may be: a payload of the level that is named, of any where none is; `null` is one too, `undefined` is none (D-DIR-8). */
export type ItemResult<T extends TypeName = TypeName, L extends LevelName<T> = LevelName<T>> =
  LevelData<T, L> extends infer D ? D | null | undefined : never;

/** An item changed: refetch the levels that clients hold, or the one named (§4.5). */
export interface RefreshItemDirective<T extends TypeName = TypeName> extends DirectiveMeta {
  /** Selects the type of directive. */
  op: 'refresh_item';
  /** The item's type. */
  name: T;
  /** The item; `42` and `"42"` are the same. */
  id: Id;
  /** The level that must be fetched; the levels each client holds when absent. */
  level?: LevelName<T> | null | undefined;
  /** The new payload inline; `null` is a payload (D-DIR-8, D-DIR-10). */
  result?: ItemResult<T>;
}

/** Applies its targets in order; its metadata holds for targets that have none (D-DIR-10). */
export interface InvalidateDirective extends DirectiveMeta {
  /** Selects the type of directive. */
  op: 'invalidate';
  /** At most 8 deep and 10,000 in a list (D-DIR-10). */
  targets: readonly Directive[];
}

/** Reloads the page of every client, the originator included (§4.5). */
export interface ForceReloadPageDirective extends DirectiveMeta {
  /** Selects the type of directive. */
  op: 'force_reload_page';
  /** Bypass caches. Default false. */
  hard?: boolean | null | undefined;
}

/** A directive of the server contract (§2.1), of any registered collection or type. */
export type Directive =
  | { [C in CollectionName]: RefreshCollectionDirective<C> }[CollectionName]
  | { [T in TypeName]: RefreshItemDirective<T> }[TypeName]
  | InvalidateDirective
  | ForceReloadPageDirective;

/**
 * Every item of a type changed. It is an extension of the server contract, in the legacy client shape (§2.2): other clients drop it.
 */
export interface TypeInvalidate<T extends TypeName = TypeName> extends DirectiveMeta {
  /** Selects the type of directive. */
  op: 'invalidate';
  /** Selects items. */
  kind: 'item';
  /** The type of the items. */
  name: T;
}

/** The shape that `applyDirectives` accepts beside the server contract (§2.2). `invalidate` here is the legacy one. */
export interface ClientDirective {
  /** `invalidate`: marks stale and refetches only what is watched. */
  op: 'refresh' | 'invalidate';
  /** When absent, an `id` makes it an item; else the name decides (D-DIR-1). */
  kind?: 'collection' | 'item' | null | undefined;
  /** The collection or the item's type. */
  name: string;
  /** The item. Absent with `invalidate` of an item: every item of the type. */
  id?: Id | null | undefined;
  /** As in `refresh_item`. */
  level?: string | null | undefined;
  /** Deduplication key, alternative to `idempotency_key`; one namespace (D-DIR-11). */
  key?: string | null | undefined;
  /** Collection params, matched exactly. */
  params?: unknown;
  /** A second directive with a key seen in the last 5 minutes is ignored. */
  idempotency_key?: string | null | undefined;
  /** The id of the client whose request caused it. */
  source?: string | null | undefined;
  /** The audience's sequence number. */
  seq?: number | null | undefined;
  /** Who it is for; `global` where none is given. */
  audience?: string | null | undefined;
}

/** One message of the event stream (§2.3). An empty list is a position: a heartbeat or a greeting (D-SSE-7). */
export interface Envelope {
  /** Other types are ignored. */
  type: 'directives';
  /** The number of this envelope in its audience's sequence; of an empty one, the current number. */
  seq?: number | null | undefined;
  /** Whose sequence it belongs to; `global` where none is given. */
  audience?: string | null | undefined;
  /** For directives that have none of their own. */
  source?: string | null | undefined;
  /** Each is looked at by itself: a wrong one is dropped, its neighbours are applied (D-DIR-2). */
  directives: readonly unknown[];
  /** On a greeting: whether all that was missed has been replayed. */
  recovered?: boolean | null | undefined;
  /** On a greeting: the interval of the hub's heartbeats, milliseconds. */
  heartbeat_ms?: number | null | undefined;
}
