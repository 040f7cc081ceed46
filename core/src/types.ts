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
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
  };
}

/** The answer of a Standard Schema: a value, or issues. */
export type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
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
  levelConversionMap?: LevelConversionMap;
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
  ids: readonly Id[];
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
  sse?: Partial<SseOptions>;
  memory?: Partial<MemoryOptions>;
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
  readonly failedLevels: Readonly<Record<string, boolean | undefined>>;
  readonly levelErrors: Readonly<Record<string, string | null>>;
  /** The message of the most recent unresolved level error. */
  readonly error: string | null;
  /** The error object behind `error` (D-FETCH-7). */
  readonly cause: unknown;
  readonly activeQueryId: string | null;
  /** Computed when read. */
  readonly lastUsedAt: string;
  /** Computed when read: whether any held level is stale. */
  readonly isStale: boolean;
}

/** An item's stable public face (document §2.4). `data` is the partial merge of the held levels. */
export interface ItemReference<D = unknown> {
  readonly data: D | null;
  readonly meta: ItemMeta;
}

/** `meta` of a collection reference (document §2.5). Immutable, replaced whole. */
export interface CollectionMeta<P = unknown> {
  readonly isLoading: boolean;
  readonly lastFetched: string | null;
  readonly error: string | null;
  /** The error object behind `error` (D-FETCH-7). */
  readonly cause: unknown;
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
  readonly ids: readonly Id[];
  readonly count: number;
}

/** A cached params set's stable public face (document §2.5). */
export interface CollectionReference<P = unknown> {
  readonly data: CollectionData;
  readonly meta: CollectionMeta<P>;
}

/** Either kind of reference. */
export type Reference = ItemReference | CollectionReference;

/** One thing a directive touched (D-DIR-4). */
export type Target =
  | { kind: 'item'; type: string; id: Id; level: string }
  | { kind: 'collection'; name: string; params: object | undefined };

/** `pull`: the answer to this client's own mutation; its own `source` does not matter (D-SRC-2). */
export type DirectivePath = 'push' | 'pull';

/** Another way for directives to arrive (document §4.3). */
export interface DirectiveSource {
  type: string;
  /** Called once per connection; returns what ends it. */
  connect: (api: DirectiveSourceApi) => (() => void) | void;
}

/** What a custom transport gets. */
export interface DirectiveSourceApi {
  applyDirectives: (directives: readonly unknown[]) => Promise<void>;
  /** One envelope: sequence, source and audience rules apply. */
  ingestEnvelope: (envelope: unknown) => void;
  readonly clientId: string;
}

/** The stream's state. */
export type SseStatus = 'off' | 'connecting' | 'open' | 'waiting';

/** `state().sse`. */
export interface SseInfo {
  enabled: boolean;
  connected: boolean;
  status: SseStatus;
  url: string;
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
  types: Record<string, { stalenessMs: number; levels: string[]; itemCount: number; hasBulkFetch: boolean }>;
  collections: Record<string, { stalenessMs: number; refCount: number }>;
  sse: SseInfo;
  bulk: { delayMs: number; maxBatchSize: number; pending: number };
  memory: MemoryOptions & { items: number; collections: number };
}

/** `devtools()` (document §2.9): what `state()` has, and every entry. */
export interface DevtoolsSnapshot extends StateSnapshot {
  clientId: string;
  items: Record<string, Record<string, { data: unknown; meta: ItemMeta; watchers: number }>>;
  refs: Record<string, Record<string, { data: CollectionData; meta: CollectionMeta; watchers: number }>>;
  inFlight: {
    items: { type: string; id: Id; level: string; qid: string }[];
    collections: { name: string; params: object | undefined; qid: string }[];
    totalCount: number;
    hasAnyInFlight: boolean;
  };
  seenKeys: string[];
  /** The last 200 lifecycle events, oldest first. */
  events: LoggedEvent[];
}

/** The hub's place in an audience's sequence, read before the data (D-REACT-10). */
export interface Cursor {
  audience: string;
  seq: number;
}

/** What `dehydrate` gives: plain JSON with ages instead of clock times (D-REACT-10). */
export interface DehydratedState {
  readonly v: 1;
  readonly items: readonly DehydratedItem[];
  readonly collections: readonly DehydratedCollection[];
  readonly cursors: readonly Cursor[];
}

/** One item of a dehydrated state; levels that share a payload stand together. */
export interface DehydratedItem {
  readonly type: string;
  readonly id: Id;
  readonly payloads: readonly {
    readonly levels: readonly string[];
    readonly data: unknown;
    readonly ageMs: number;
    readonly stale?: true;
  }[];
}

/** One collection entry of a dehydrated state. */
export interface DehydratedCollection {
  readonly name: string;
  readonly params?: object;
  readonly ids: readonly Id[];
  readonly count: number;
  readonly ageMs: number;
  readonly stale?: true;
}

/** Which entry of a dehydrated state to read. */
export type DehydratedKey =
  | { type: string; id: Id; level?: string | null }
  | { name: string; params?: object | null };

/** What `fetchItem` takes last. */
export interface FetchItemOptions {
  /** Fetch although fresh or failed. Default false. */
  force?: boolean;
  /** No loading state. Default false. */
  silent?: boolean;
}

/** What `fetchCollection` takes last. */
export interface FetchCollectionOptions<C extends CollectionName = CollectionName> extends FetchItemOptions {
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
  state: () => StateSnapshot;
  devtools: () => DevtoolsSnapshot;
  /** Whether a request for exactly this item and level is in flight. */
  isItemLoading: <T extends TypeName>(type: T, id: Id, level?: LevelName<T> | null) => boolean;
  /** Whether a request for exactly this params set is in flight. */
  isCollectionLoading: <C extends CollectionName>(name: C, params?: CollectionParams<C> | null) => boolean;
  hasAnyInFlightRequests: () => boolean;
  connectSse: () => void;
  disconnectSse: () => void;
  /** Merges options; reconnects when url, audience, parameter names, credentials or headers changed (D-SSE-3). */
  configureSse: (options: Partial<SseOptions>) => void;
  configureMemory: (options: Partial<MemoryOptions>) => void;
  /** Replaces SSE by a custom transport; `null` returns to SSE. */
  configureDirectiveSource: (source: DirectiveSource | null) => void;
  connectDirectiveSource: () => void;
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
