// The public shapes: configs, options, references, snapshots, the data layer itself.

import type { Id } from './protocol/directive.ts';
import type {
  CollectionName,
  CollectionParams,
  ItemData,
  LevelData,
  LevelName,
  TypeName,
} from './register.ts';
import type { LifecycleCallback, LifecycleEvent, LoggedEvent } from './lifecycleEvents.ts';

/** A validator by the Standard Schema interface (zod, valibot, arktype and others have it). */
export interface StandardSchema {
  /** The interface itself, as the validator's library provides it. */
  readonly '~standard': {
    /** Of the Standard Schema interface. */
    readonly version: 1;
    /** The validator's library. */
    readonly vendor: string;
    /** Looks at a payload. A throw is an issue too. */
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
  };
}

/** The answer of a Standard Schema: a value, or issues. */
export type StandardResult =
  | {
      /** The payload, converted where the schema converts; it is what the cache holds. */
      readonly value: unknown;
      /** None. */
      readonly issues?: undefined;
    }
  | {
      /** What is wrong; the fetch fails with these messages. */
      readonly issues: readonly {
        /** What was expected. */
        readonly message: string;
        /** Where, from the outside in; none: the whole payload. */
        readonly path?:
          | readonly (
              | PropertyKey
              | {
                  /** One step of the path. */
                  readonly key: PropertyKey;
                }
            )[]
          | undefined;
      }[];
    };

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

/** Options of the event stream (document §2.8). */
export interface SseOptions {
  /** Default true. */
  enabled: boolean;
  /** Default `/api/events`, resolved against `baseUrl` or the page. */
  url: string;
  /** Prefix of `url`; needed outside a browser. Default `''`. */
  baseUrl: string;
  /** One audience or several (D-SSE-10). Default `global`. */
  audience: string | readonly string[];
  /** Default `client_id`. */
  clientIdParam: string;
  /** Default `audience`. */
  audienceParam: string;
  /** Send cookies. Default false. */
  withCredentials: boolean;
  /** Connect when `init` is called. Default true. */
  connectOnInit: boolean;
  /** Default 2000. */
  initialRetryMs: number;
  /** Default 30000. */
  maxRetryMs: number;
  /** Default 2. */
  backoffMultiplier: number;
  /** Refetch what is on screen after a gap in the sequence. Default true. */
  resyncOnGap: boolean;
  /** Default 1500. */
  resyncJitterMinMs: number;
  /** Default 3500. */
  resyncJitterMaxMs: number;
  /** Request headers, or a function that makes them anew for each attempt. */
  headers: SseHeaders;
}

/** Request headers of the event stream, or what makes them. */
export type SseHeaders =
  | Readonly<Record<string, string>>
  | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);

/** Options of eviction (document §2.8). */
export interface MemoryOptions {
  /** Default true. */
  enabled: boolean;
  /** Default 512. */
  maxItemsPerType: number;
  /** Default 900000 (15 min). */
  itemEntryTtlMs: number;
  /** Default 12. */
  maxCollectionRefsPerCollection: number;
  /** Default 600000 (10 min). */
  collectionEntryTtlMs: number;
  /** Default 60000. */
  pruneIntervalMs: number;
}

/** Options of coalescing (document §2.8, D-REG-3). */
export interface BulkOptions {
  /** The window in which directives become one batch. Default 50; 0 = the end of the current task. */
  delayMs: number;
  /** The most ids one `bulkFetch` is asked for. Default 100. */
  maxBatchSize: number;
  /** The window in which reads become one batch. Default 0 = the same task. */
  readWindowMs: number;
  /** Adds `random() · jitterMs` to the directives' window. Default 0. */
  jitterMs: number;
  /** Which affected entries are refetched: all that are held (default), or the watched ones. */
  refetch: 'held' | 'watched';
  /** Try failed refetches of watched entries again after this time, doubling up to 30 s. Default 0 = off (D-FETCH-10). */
  retryFailedMs: number;
}

/** What `init` takes. A second call merges (D-REG-4). */
export interface InitOptions {
  /** The event stream. */
  sse?: Partial<SseOptions>;
  /** Eviction. */
  memory?: Partial<MemoryOptions>;
  /** Coalescing. */
  bulk?: Partial<BulkOptions>;
  /** Further origins that `fetch` of the data layer may send its headers to. */
  fetchOrigins?: readonly string[];
}

/** `meta` of an item reference (document §2.4). Immutable, replaced whole. */
export interface ItemMeta {
  /** Whether a request that is not silent is under way or queued for any level. */
  readonly isLoading: boolean;
  /** When any level was last applied, ISO. */
  readonly lastFetchedAny: string | null;
  /** Per held level, when its payload was applied, ISO. */
  readonly levelStamps: Readonly<Record<string, string | null>>;
  /** True for each level whose last fetch failed; nothing retries it but `force` and directives. */
  readonly failedLevels: Readonly<Record<string, boolean | undefined>>;
  /** Per held level, the message of its last failure; null when it has none. */
  readonly levelErrors: Readonly<Record<string, string | null>>;
  /** The message of the most recent unresolved level error. */
  readonly error: string | null;
  /** The error object behind `error` (D-FETCH-7). */
  readonly cause: unknown;
  /** The id of the latest query, as in the lifecycle events; null before the first. */
  readonly activeQueryId: string | null;
  /** Computed when read. */
  readonly lastUsedAt: string;
  /** Computed when read: whether any held level is stale. */
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
  /** The error object behind `error` (D-FETCH-7). */
  readonly cause: unknown;
  /** The id of the latest query, as in the lifecycle events; null before the first. */
  readonly activeQueryId: string | null;
  /** A deeply frozen copy of the params, or `undefined` when there are none. */
  readonly paramsSnapshot: P | undefined;
  /** Canonical JSON of the params, `"{}"` for none (D-PARAM-1). */
  readonly paramsKey: string;
  /** Computed when read. */
  readonly lastUsedAt: string;
  /** Computed when read. */
  readonly isStale: boolean;
}

/** What a collection reference holds: ids only. */
export interface CollectionData {
  /** Empty before the first answer. */
  readonly ids: readonly Id[];
  /** How many there are in all; 0 before the first answer. */
  readonly count: number;
}

/** A cached params set's stable public face (document §2.5). */
export interface CollectionReference<P = unknown> {
  /** Replaced whole, and never by an equal one (D-LEVEL-7). */
  readonly data: CollectionData;
  /** Replaced whole when anything visible changes. */
  readonly meta: CollectionMeta<P>;
}

/** Either kind of reference. */
export type Reference = ItemReference | CollectionReference;

/** One thing a directive touched (D-DIR-4). */
export type Target =
  | {
      /** An item's level. */
      kind: 'item';
      /** The type's name. */
      type: string;
      /** As first given. */
      id: Id;
      /** `'default'` where none was given. */
      level: string;
    }
  | {
      /** A collection's entry. */
      kind: 'collection';
      /** The collection's name. */
      name: string;
      /** Undefined where there are none. */
      params: object | undefined;
    };

/** `pull`: the answer to this client's own mutation; its own `source` does not matter (D-SRC-2). */
export type DirectivePath = 'push' | 'pull';

/** Another way for directives to arrive (document §4.3). */
export interface DirectiveSource {
  /** A name for logs and tools, such as `websocket`. */
  type: string;
  /** Called once per connection; returns what ends it. */
  connect: (api: DirectiveSourceApi) => (() => void) | void;
}

/** What a custom transport gets. */
export interface DirectiveSourceApi {
  /** A bare list, without a number: as `applyDirectives` of the data layer with path `push`. */
  applyDirectives: (directives: readonly unknown[]) => Promise<void>;
  /** One envelope: sequence, source and audience rules apply. */
  ingestEnvelope: (envelope: unknown) => void;
  /** This client's id, for the server to use as `source`. */
  readonly clientId: string;
}

/** The stream's state. */
export type SseStatus = 'off' | 'connecting' | 'open' | 'waiting';

/** `state().sse`. */
export interface SseInfo {
  /** The option. */
  enabled: boolean;
  /** Whether the stream is open. */
  connected: boolean;
  /** `off`: no attempt is made; `waiting`: for the next attempt, or to be online. */
  status: SseStatus;
  /** Where it connects to, without its parameters. */
  url: string;
  /** The option. */
  audience: string | readonly string[];
  /** Attempts since the last connection that worked. */
  attempt: number;
  /** Of the wait that is under way, else null. */
  retryInMs: number | null;
  /** The last number seen, by audience. */
  lastSeq: Record<string, number>;
}

/** `state()` (document §2.9): a deep plain copy, safe to serialise. */
export interface StateSnapshot {
  /** What was registered with `createType`, by name. */
  types: Record<
    string,
    {
      /** Milliseconds until the default level is stale. */
      stalenessMs: number;
      /** The registered levels, `'default'` among them. */
      levels: string[];
      /** Items held. */
      itemCount: number;
      /** Whether any level has a `bulkFetch`. */
      hasBulkFetch: boolean;
    }
  >;
  /** What was registered with `createCollection`, by name. */
  collections: Record<
    string,
    {
      /** Milliseconds until an entry is stale. */
      stalenessMs: number;
      /** Params sets held. */
      refCount: number;
    }
  >;
  /** The event stream. */
  sse: SseInfo;
  /** Coalescing. */
  bulk: {
    /** The option. */
    delayMs: number;
    /** The option. */
    maxBatchSize: number;
    /** Entries that wait for their window to close. */
    pending: number;
  };
  /** The options, and what is held. */
  memory: MemoryOptions & {
    /** Items held, of all types. */
    items: number;
    /** Params sets held, of all collections. */
    collections: number;
  };
}

/** `devtools()` (document §2.9): what `state()` has, and every entry. */
export interface DevtoolsSnapshot extends StateSnapshot {
  /** As `clientId()`. */
  clientId: string;
  /** Every item held, by type and id. */
  items: Record<
    string,
    Record<
      string,
      {
        /** `data` of its reference. */
        data: unknown;
        /** `meta` of its reference. */
        meta: ItemMeta;
        /** How many watch it: subscribers of `onRefChange`, mounted hooks among them. */
        watchers: number;
      }
    >
  >;
  /** Every params set held, by collection and `paramsKey`. */
  refs: Record<
    string,
    Record<
      string,
      {
        /** `data` of its reference. */
        data: CollectionData;
        /** `meta` of its reference. */
        meta: CollectionMeta;
        /** How many watch it. */
        watchers: number;
      }
    >
  >;
  /** Requests under way. */
  inFlight: {
    /** Of items, one for each level. */
    items: {
      /** The type's name. */
      type: string;
      /** As first given. */
      id: Id;
      /** `'default'` where none was given. */
      level: string;
      /** The query's id, as in the lifecycle events. */
      qid: string;
    }[];
    /** Of collections. */
    collections: {
      /** The collection's name. */
      name: string;
      /** Undefined where there are none. */
      params: object | undefined;
      /** The query's id, as in the lifecycle events. */
      qid: string;
    }[];
    /** Both together. */
    totalCount: number;
    /** As `hasAnyInFlightRequests()`. */
    hasAnyInFlight: boolean;
  };
  /** The idempotency keys remembered, oldest first (D-DIR-11). */
  seenKeys: string[];
  /** The last 200 lifecycle events, oldest first. */
  events: LoggedEvent[];
}

/** The hub's place in an audience's sequence, read before the data (D-REACT-10). */
export interface Cursor {
  /** The audience. */
  audience: string;
  /** The number of its newest envelope. */
  seq: number;
}

/** What `dehydrate` gives: plain JSON with ages instead of clock times (D-REACT-10). */
export interface DehydratedState {
  /** The version of this form. */
  readonly v: 1;
  /** The items. */
  readonly items: readonly DehydratedItem[];
  /** The params sets. */
  readonly collections: readonly DehydratedCollection[];
  /** Where the hub stood before the data was read; the first connection goes on from there. */
  readonly cursors: readonly Cursor[];
}

/** One item of a dehydrated state; levels that share a payload stand together. */
export interface DehydratedItem {
  /** The type's name. */
  readonly type: string;
  /** As first given. */
  readonly id: Id;
  /** Oldest first. */
  readonly payloads: readonly {
    /** The levels that this payload answers. */
    readonly levels: readonly string[];
    /** The payload. */
    readonly data: unknown;
    /** Milliseconds since it was applied, when the state was made. */
    readonly ageMs: number;
    /** It was already known to be outdated. */
    readonly stale?: true;
  }[];
}

/** One collection entry of a dehydrated state. */
export interface DehydratedCollection {
  /** The collection's name. */
  readonly name: string;
  /** None: the entry without params. */
  readonly params?: object;
  /** As answered. */
  readonly ids: readonly Id[];
  /** As answered. */
  readonly count: number;
  /** Milliseconds since it was applied, when the state was made. */
  readonly ageMs: number;
  /** It was already known to be outdated. */
  readonly stale?: true;
}

/** Which entry of a dehydrated state to read. */
export type DehydratedKey =
  | {
      /** The type's name. */
      type: string;
      /** The item. */
      id: Id;
      /** None, null and `'default'` are the same. */
      level?: string | null;
    }
  | {
      /** The collection's name. */
      name: string;
      /** None, null and `{}` are the same. */
      params?: object | null;
    };

/** What `fetchItem` takes last. */
export interface FetchItemOptions {
  /** Fetch although fresh or failed. Default false. */
  force?: boolean;
  /** No loading state. Default false. */
  silent?: boolean;
}

/** What `fetchCollection` takes last. */
export interface FetchCollectionOptions<C extends CollectionName = CollectionName> extends FetchItemOptions {
  /** Which params set; none, null and `{}` are the same (D-PARAM-1). */
  params?: CollectionParams<C> | null | undefined;
}

/** The client data layer (document §4.4 and §4.3, D-NAME-2). Every operation is bound and can be destructured. */
export interface DataLayer {
  /** Configures, and connects unless told otherwise. Throws a `TypeError` that names a wrong option (D-REG-4). */
  init: (options?: InitOptions) => void;
  /** Registers an item type. Throws a `TypeError` that names the culprit (D-REG-1). Again: replaces the config, keeps the data. */
  createType: <T extends TypeName>(name: T, config: TypeConfig<T>) => void;
  /** Registers a collection. Throws a `TypeError` that names the culprit (D-REG-1). */
  createCollection: <C extends CollectionName>(name: C, config: CollectionConfig<C>) => void;
  /** Reads an item and fetches it where needed. Throws for an unregistered type or level; a failed fetch shows in `meta`. */
  fetchItem: <T extends TypeName>(
    type: T,
    id: Id,
    level?: LevelName<T> | null,
    options?: FetchItemOptions,
  ) => ItemReference<ItemData<T>>;
  /** Reads a params set and fetches it where needed. Throws for an unregistered name or params without a JSON form. */
  fetchCollection: <C extends CollectionName>(
    name: C,
    options?: FetchCollectionOptions<C>,
  ) => CollectionReference<CollectionParams<C>>;
  /** The reference without a fetch; the same object until evicted. */
  getItemRef: <T extends TypeName>(type: T, id: Id) => ItemReference<ItemData<T>>;
  /** The reference without a fetch; the same object until evicted. */
  getCollectionRef: <C extends CollectionName>(
    name: C,
    options?: { params?: CollectionParams<C> | null | undefined },
  ) => CollectionReference<CollectionParams<C>>;
  /** Applies directives of both shapes. Resolves when every refetch it caused has settled; never rejects (D-FETCH-8). */
  applyDirectives: (directives: readonly unknown[], options?: { path?: DirectivePath }) => Promise<void>;
  /** Calls back once per committed batch of visible changes. Returns what unsubscribes. */
  onChange: (callback: () => void) => () => void;
  /** Calls back once per committed batch that changed this reference; the entry counts as watched. */
  onRefChange: (ref: Reference, callback: () => void) => () => void;
  /** Subscribes to one lifecycle event, or to all with `*` (document §6.2). */
  onLifecycle: <E extends LifecycleEvent | '*'>(event: E, callback: LifecycleCallback<E>) => () => void;
  /** This instance's id, sent as `X-Service-Client-ID`. */
  clientId: () => string;
  /** What is registered, connected, held and pending: a deep plain copy, safe to serialise (document §2.9). */
  state: () => StateSnapshot;
  /** What `state()` has, every entry, what is in flight and the last 200 lifecycle events. Not cheap: for tools and tests. */
  devtools: () => DevtoolsSnapshot;
  /** Whether a request for exactly this item and level is in flight. */
  isItemLoading: <T extends TypeName>(type: T, id: Id, level?: LevelName<T> | null) => boolean;
  /** Whether a request for exactly this params set is in flight. */
  isCollectionLoading: <C extends CollectionName>(name: C, params?: CollectionParams<C> | null) => boolean;
  /** Whether any request of an item or a collection is in flight, silent or not. */
  hasAnyInFlightRequests: () => boolean;
  /** Connects the stream, or ends the wait for the next attempt. Does nothing while connected. Also after 204, 401 and 403, which end the attempts (D-SSE-2). */
  connectSse: () => void;
  /** Ends the stream and cancels a reconnect that waits, until `connectSse`. A resync that is owed stays owed (D-SSE-3). */
  disconnectSse: () => void;
  /** Merges options; reconnects when url, audience, parameter names, credentials or headers changed (D-SSE-3). */
  configureSse: (options: Partial<SseOptions>) => void;
  /** Merges options of eviction; they hold from the next sweep on. Throws a `TypeError` that names a wrong one (D-REG-4). */
  configureMemory: (options: Partial<MemoryOptions>) => void;
  /** Replaces SSE by a custom transport; `null` returns to SSE. */
  configureDirectiveSource: (source: DirectiveSource | null) => void;
  /** Connects the custom transport; does nothing while it is connected. */
  connectDirectiveSource: () => void;
  /** Ends the custom transport, by what its `connect` returned, until `connectDirectiveSource`. */
  disconnectDirectiveSource: () => void;
  /** One envelope from any transport: sequence, source and audience rules apply. */
  ingestEnvelope: (envelope: unknown) => void;
  /** `fetch` with this client's headers; applies the directives of the answer before it returns (D-SRC-3). */
  fetch: (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;
  /** Applies the directives that a response carries in its header or JSON body; the body stays readable. */
  applyResponse: (response: Response) => Promise<void>;
  /** The headers that ask a server for directives, merged over `extra`. */
  directiveHeaders: (extra?: HeadersInit) => Record<string, string>;
  /** Resolves when nothing is in flight or queued: for a reference, for the directives of a response, or at all. */
  whenSettled: (what?: Reference | Response) => Promise<void>;
  /** Reads an item; resolves when it has settled. */
  prefetchItem: <T extends TypeName>(type: T, id: Id, level?: LevelName<T> | null) => Promise<void>;
  /** Reads a params set; resolves when it has settled. */
  prefetchCollection: <C extends CollectionName>(
    name: C,
    options?: FetchCollectionOptions<C>,
  ) => Promise<void>;
  /** The cache as plain JSON; escape it before you embed it in HTML. */
  dehydrate: (options?: { cursors?: readonly Cursor[] }) => DehydratedState;
  /** Takes over a dehydrated state; what is newer here stays. */
  hydrate: (state: DehydratedState) => void;
  /** Aborts requests, closes the stream, clears every timer, settles every promise handed out. */
  dispose: () => void;
}
