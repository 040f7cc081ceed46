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
  /** False: there is no stream, and `connectSse` does nothing. Default true. */
  enabled: boolean;
  /** Where the stream is. Default `/api/events`, resolved against `baseUrl` or the page. */
  url: string;
  /** Prefix of `url`; needed outside a browser. Default `''`. */
  baseUrl: string;
  /** One audience or several (D-SSE-10). Default `global`. */
  audience: string | readonly string[];
  /** The name of the query parameter with the client id. Default `client_id`. */
  clientIdParam: string;
  /** The name of the query parameter with the audience, repeated for several. Default `audience`. */
  audienceParam: string;
  /** Send cookies with the stream. Default false: not even to the same origin. */
  withCredentials: boolean;
  /** Connect when `init` is called; else `connectSse` does. Default true. */
  connectOnInit: boolean;
  /** The wait before the first attempt to reconnect, milliseconds. Default 2000. */
  initialRetryMs: number;
  /** The longest wait between two attempts, milliseconds; not below `initialRetryMs`. Default 30000. */
  maxRetryMs: number;
  /** Each wait is so many times the one before. Default 2. */
  backoffMultiplier: number;
  /** Refetch what is on screen after a gap in the sequence. Default true. */
  resyncOnGap: boolean;
  /** A refetch after a gap waits a random time, so that not all clients come at once: at least so many milliseconds. Default 1500. */
  resyncJitterMinMs: number;
  /** And at most so many; not below `resyncJitterMinMs`. Default 3500. */
  resyncJitterMaxMs: number;
  /** Request headers of the stream, or a function that makes them anew for each attempt. Default: none. */
  headers: SseHeaders;
}

/** Request headers of the event stream, or what makes them. */
export type SseHeaders =
  | Readonly<Record<string, string>>
  | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);

/** Options of eviction: what leaves the cache, and when (document §2.8, D-MEM-1). */
export interface MemoryOptions {
  /** False: nothing is ever evicted. Default true. */
  enabled: boolean;
  /** The most items of one type; what is watched or under way stays although there are more. Default 512. */
  maxItemsPerType: number;
  /** How long an item stays that nobody reads or watches, milliseconds. Default 900000 (15 min). */
  itemEntryTtlMs: number;
  /** The most params sets of one collection, as above. Default 12. */
  maxCollectionRefsPerCollection: number;
  /** How long a params set stays that nobody reads or watches, milliseconds. Default 600000 (10 min). */
  collectionEntryTtlMs: number;
  /** How often it is looked for what may go, milliseconds. Default 60000. */
  pruneIntervalMs: number;
}

/** Options of coalescing: what is asked for together (document §2.8, D-REG-3). */
export interface BulkOptions {
  /** The window in which directives become one batch, milliseconds from the first. Default 50; 0 = the end of the current task. */
  delayMs: number;
  /** The most ids one `bulkFetch` is asked for. Default 100. */
  maxBatchSize: number;
  /** The window in which reads become one `bulkFetch`, milliseconds. Default 0 = the same task. */
  readWindowMs: number;
  /** Adds a random time to the directives' window, at most so many milliseconds: spreads the requests of many clients. Default 0. */
  jitterMs: number;
  /** Which affected entries are refetched: all that are held (default), or the watched ones only; the others are then refetched when they are read. */
  refetch: 'held' | 'watched';
  /**
   * What a directive or a resync has outdated and whose refetch failed is tried again after so many milliseconds, while it is watched; doubling
   * up to 30 s. Default 0 = off (D-FETCH-10).
   */
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
  /** Further origins that `fetch` of the data layer may send its headers to, such as `https://api.example.com`. Default: the same origin only. */
  fetchOrigins?: readonly string[];
}

/** `meta` of an item reference (document §2.4). Immutable, replaced whole. */
export interface ItemMeta {
  /** Whether a request that is not silent is under way or queued, for any level. */
  readonly isLoading: boolean;
  /** When any level was last applied, ISO. */
  readonly lastFetchedAny: string | null;
  /** Per held level, when its payload was applied, ISO. */
  readonly levelStamps: Readonly<Record<string, string | null>>;
  /** True for each level whose last fetch failed; nothing retries it but `force` and directives. */
  readonly failedLevels: Readonly<Record<string, boolean | undefined>>;
  /** Per held level, the message of its last failure; null when it has none. */
  readonly levelErrors: Readonly<Record<string, string | null>>;
  /** The message of the most recent failure that no later answer has resolved; null when there is none. */
  readonly error: string | null;
  /** What was thrown, of the failure behind `error`; null when there is none (D-FETCH-7). */
  readonly cause: unknown;
  /** The id of the latest query, as in the lifecycle events; null before the first. */
  readonly activeQueryId: string | null;
  /** When it was last read or watched, ISO. Computed when read; a change of it notifies nobody. */
  readonly lastUsedAt: string;
  /** Whether any held level is stale. Computed when read; a change of it notifies nobody. */
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
  /** What was thrown, of the failure behind `error`; null when there is none (D-FETCH-7). */
  readonly cause: unknown;
  /** The id of the latest query, as in the lifecycle events; null before the first. */
  readonly activeQueryId: string | null;
  /** A deeply frozen copy of the params, or `undefined` when there are none. */
  readonly paramsSnapshot: P | undefined;
  /** Canonical JSON of the params, `"{}"` for none (D-PARAM-1). */
  readonly paramsKey: string;
  /** When it was last read or watched, ISO. Computed when read; a change of it notifies nobody. */
  readonly lastUsedAt: string;
  /** Whether it is stale. Computed when read; a change of it notifies nobody. */
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

/** How directives came. `pull`: in the answer to this client's own mutation, where its own `source` does not matter. `push`: any other way (D-SRC-2). */
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

/** The stream's state. `off`: no attempt is made. `waiting`: for the next attempt, or to be online. */
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
  /** Attempts since the last connection that worked, the present one included. */
  attempt: number;
  /** Milliseconds, of the wait that is under way; else null. */
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
      /** The item must hold it; none or null: whichever it holds. */
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
  /** Does not show in `meta.isLoading`. Default false. */
  silent?: boolean;
}

/** What `fetchCollection` takes last. */
export interface FetchCollectionOptions<C extends CollectionName = CollectionName> extends FetchItemOptions {
  /** Which params set; none, null and `{}` are the same (D-PARAM-1). */
  params?: CollectionParams<C> | null | undefined;
}

/** The client data layer (document §4.4 and §4.3, D-NAME-2). Every operation is bound and can be destructured. */
export interface DataLayer {
  /**
   * Configures, and connects unless told otherwise. Once, at start; a further call merges its options and opens no second connection.
   * Throws a `TypeError` that names a wrong option, and then nothing of the call holds (D-REG-4).
   */
  init: (options?: InitOptions) => void;
  /** Registers an item type. A name that is registered already gets the new config and keeps its data. Throws a `TypeError` that names what is wrong (D-REG-1). */
  createType: <T extends TypeName>(name: T, config: TypeConfig<T>) => void;
  /** Registers a collection. A name that is registered already gets the new config and keeps its data. Throws a `TypeError` that names what is wrong (D-REG-1). */
  createCollection: <C extends CollectionName>(name: C, config: CollectionConfig<C>) => void;
  /**
   * Reads one level of an item (none given: `'default'`), and fetches it where it is missing or stale. Returns at once; what arrives shows
   * in the reference. Throws an `Error` for an unregistered type or level; a failed fetch shows in `meta`, and is not tried again but
   * with `force` or by a directive.
   */
  fetchItem: <T extends TypeName>(
    type: T,
    id: Id,
    level?: LevelName<T> | null,
    options?: FetchItemOptions,
  ) => ItemReference<ItemData<T>>;
  /**
   * Reads a collection with one params set, and fetches it where it is missing or stale. Returns at once, as `fetchItem`. Throws an
   * `Error` for an unregistered name, a `TypeError` for params without a JSON form (D-PARAM-1).
   */
  fetchCollection: <C extends CollectionName>(
    name: C,
    options?: FetchCollectionOptions<C>,
  ) => CollectionReference<CollectionParams<C>>;
  /** The item's reference, without a fetch; the same object until the entry is evicted. Throws an `Error` for an unregistered type. */
  getItemRef: <T extends TypeName>(type: T, id: Id) => ItemReference<ItemData<T>>;
  /** The params set's reference, without a fetch; the same object until the entry is evicted. Throws as `fetchCollection`. */
  getCollectionRef: <C extends CollectionName>(
    name: C,
    options?: { params?: CollectionParams<C> | null | undefined },
  ) => CollectionReference<CollectionParams<C>>;
  /**
   * Applies directives, of the server contract or the shape of `ClientDirective`, freely mixed. `path` is `push` unless given: then those with this
   * client's own `source` are ignored. Resolves when every refetch that it caused has settled; never rejects, a wrong directive is
   * `directive:rejected` and its neighbours are applied (D-FETCH-8, D-DIR-2).
   */
  applyDirectives: (directives: readonly unknown[], options?: { path?: DirectivePath }) => Promise<void>;
  /**
   * Calls back after every batch of visible changes, whatever changed: entries, evictions, the stream's status. Synchronously, once for
   * each batch. Returns what unsubscribes.
   */
  onChange: (callback: () => void) => () => void;
  /** Calls back after every batch that changed this reference, synchronously. Meanwhile its entry counts as watched. Returns what unsubscribes. */
  onRefChange: (ref: Reference, callback: () => void) => () => void;
  /** Calls back on one lifecycle event, or on all with `*`, with `{ event, detail }` (document §6.2). Returns what unsubscribes. */
  onLifecycle: <E extends LifecycleEvent | '*'>(event: E, callback: LifecycleCallback<E>) => () => void;
  /** This instance's id, sent as `X-Service-Client-ID` and with the stream. Made once, for the life of the instance. */
  clientId: () => string;
  /** What is registered, connected, held and pending: a deep plain copy, safe to serialise (document §2.9). */
  state: () => StateSnapshot;
  /** What `state()` has, every entry, what is in flight and the last 200 lifecycle events. Not cheap: for tools and tests. */
  devtools: () => DevtoolsSnapshot;
  /** Whether a request for exactly this item and level is in flight, silent or not. */
  isItemLoading: <T extends TypeName>(type: T, id: Id, level?: LevelName<T> | null) => boolean;
  /** Whether a request for exactly this params set is in flight, silent or not. */
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
  /** Puts a custom transport in the place of the event stream, and connects it if `init` has run; `null` returns to the stream. */
  configureDirectiveSource: (source: DirectiveSource | null) => void;
  /** Connects the custom transport; does nothing while it is connected. */
  connectDirectiveSource: () => void;
  /** Ends the custom transport, by what its `connect` returned, until `connectDirectiveSource`. */
  disconnectDirectiveSource: () => void;
  /** Takes one envelope from any transport: its number is counted, gaps are noticed, and what is for others or of this client is not applied. Never throws. */
  ingestEnvelope: (envelope: unknown) => void;
  /**
   * `fetch` for mutations: sends the client id and asks for directives (to the same origin and `fetchOrigins`), and applies those of the answer,
   * whatever its status, before it resolves. The body stays readable. Rejects as `fetch` does (D-SRC-3).
   */
  fetch: (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;
  /** Applies the directives that a response carries in its header or JSON body, for other HTTP clients. Resolves when they are applied, not refetched; the body stays readable. */
  applyResponse: (response: Response) => Promise<void>;
  /** `extra` with the headers that ask a server for directives, for other HTTP clients; to be sent only where the client id may be known. */
  directiveHeaders: (extra?: HeadersInit) => Record<string, string>;
  /** Resolves when nothing is in flight or queued: for a reference, for the directives of a response of `fetch`, or (nothing given) at all. Never rejects. */
  whenSettled: (what?: Reference | Response) => Promise<void>;
  /** `fetchItem`, and resolves when it has settled, also when it failed. */
  prefetchItem: <T extends TypeName>(type: T, id: Id, level?: LevelName<T> | null) => Promise<void>;
  /** `fetchCollection`, and resolves when it has settled, also when it failed. */
  prefetchCollection: <C extends CollectionName>(
    name: C,
    options?: FetchCollectionOptions<C>,
  ) => Promise<void>;
  /** What is cached, as plain JSON; escape it before you embed it in HTML. `cursors`: where the hub stood before the data was read (D-REACT-10). */
  dehydrate: (options?: { cursors?: readonly Cursor[] }) => DehydratedState;
  /** Takes over a dehydrated state; what is newer here stays. Call it before `init`, so that the first connection goes on from its cursors. */
  hydrate: (state: DehydratedState) => void;
  /** Aborts requests, closes the stream, clears every timer, settles every promise that was handed out. Nothing is fetched afterwards. */
  dispose: () => void;
}
