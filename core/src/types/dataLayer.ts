// The data layer itself (document §4.3, §4.4).

import type { LifecycleCallback, LifecycleEvent } from '../events/eventTypes.ts';
import type { JsonInit } from '../mutations/json.ts';
import type { Id } from '../protocol/directive.ts';
import type { CollectionName, CollectionParams, LevelsOf, MergedLevels, TypeName } from './register.ts';
import type { ItemLevelName, ListConfig, ListItem, TypeConfig } from './configs.ts';
import type { CollectionArguments, CollectionDefinition, Definition, ItemDefinition } from './definitions.ts';
import type { DirectivePath, DirectiveSource } from './delivery.ts';
import type { InitOptions, MemoryOptions, SseOptions } from './options.ts';
import type { CollectionReference, ItemReference, Reference } from './references.ts';
import type { DevtoolsSnapshot, StateSnapshot } from './snapshots.ts';

/** What `fetchItem` takes last. */
export interface FetchItemOptions {
  /** Fetch although fresh or failed. Default false. */
  force?: boolean;
  /** Does not show in `meta.isLoading`. Default false. */
  silent?: boolean;
}

/** What `fetchCollection` takes last. */
export interface FetchCollectionOptions<P = object> extends FetchItemOptions, ParamsOptions<P> {}

/** Which entry of a collection is meant. */
export interface ParamsOptions<P = object> {
  /** The params. No params, null, and `{}` are the same. */
  params?: P | null | undefined;
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
  createCollection: <
    C extends CollectionName,
    I = Id,
    Info = unknown,
    Levels extends object = never,
    O extends TypeName = never,
    L extends ItemLevelName<Levels> = never,
  >(
    name: C,
    config: ListConfig<
      CollectionParams<C> | undefined,
      I,
      Info,
      ItemDefinition<string, I & Id, Levels> | `${O}`,
      L,
      ListItem<[O] extends [never] ? Levels : LevelsOf<O>, L>
    >,
  ) => void;
  /**
   * Registers definitions, like `createType` and `createCollection`. A definition that is registered now is skipped. Another definition of
   * the same name replaces the config and keeps the cached data. Throws a `TypeError` that names what is wrong in a config.
   */
  register: (...definitions: readonly Definition[]) => void;
  /**
   * Reads one level of an item (none given: `'default'`), and fetches it where it is missing or stale. Returns at once; what arrives shows
   * in the reference. Throws an `Error` for an unregistered type or level; a failed fetch shows in `meta`, and is not tried again but
   * with `force` or by a directive.
   */
  fetchItem: <T extends TypeName, I extends Id = Id, Levels extends object = LevelsOf<T>>(
    type: T | ItemDefinition<string, I, Levels>,
    id: NoInfer<I>,
    level?: (keyof NoInfer<Levels> & string) | null,
    options?: FetchItemOptions,
  ) => ItemReference<MergedLevels<Levels>>;
  /**
   * Reads a collection with one params set, and fetches it where it is missing or stale. Returns at once, as `fetchItem`. Throws an
   * `Error` for an unregistered name, a `TypeError` for params without a JSON form (D-PARAM-1).
   */
  fetchCollection: <C extends CollectionName, P = CollectionParams<C>, I extends Id = Id, Info = unknown>(
    name: C | CollectionDefinition<string, P, I, Info>,
    ...options: CollectionArguments<NoInfer<P>, FetchCollectionOptions<NoInfer<P>>>
  ) => CollectionReference<P, I, Info>;
  /** The item's reference, without a fetch; the same object until the entry is evicted. Throws an `Error` for an unregistered type. */
  getItemRef: <T extends TypeName, I extends Id = Id, Levels extends object = LevelsOf<T>>(
    type: T | ItemDefinition<string, I, Levels>,
    id: NoInfer<I>,
  ) => ItemReference<MergedLevels<Levels>>;
  /** The params set's reference, without a fetch; the same object until the entry is evicted. Throws as `fetchCollection`. */
  getCollectionRef: <C extends CollectionName, P = CollectionParams<C>, I extends Id = Id, Info = unknown>(
    name: C | CollectionDefinition<string, P, I, Info>,
    ...options: CollectionArguments<NoInfer<P>, ParamsOptions<NoInfer<P>>>
  ) => CollectionReference<P, I, Info>;
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
  isItemLoading: <T extends TypeName, I extends Id = Id, Levels extends object = LevelsOf<T>>(
    type: T | ItemDefinition<string, I, Levels>,
    id: NoInfer<I>,
    level?: (keyof NoInfer<Levels> & string) | null,
  ) => boolean;
  /** Whether a request for exactly this params set is in flight, silent or not. */
  isCollectionLoading: <C extends CollectionName, P = CollectionParams<C>>(
    name: C | CollectionDefinition<string, P, Id, unknown>,
    params?: NoInfer<P> | null,
  ) => boolean;
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
  fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /**
   * `fetch` of the data layer for JSON APIs. Sends `init.json` as the body; the method then defaults to POST. Returns the parsed body, or
   * `undefined` for an empty one. Rejects with an `HttpError` for a status other than 2xx, and for a body that is not JSON.
   *
   * ```ts
   * const created = await DL.json('/api/tickets', { json: { title: 'Printer on fire' } });
   * ```
   */
  json: (url: string | URL, init?: JsonInit) => Promise<unknown>;
  /** Applies the directives that a response carries in its header or JSON body, for other HTTP clients. Resolves when they are applied, not refetched; the body stays readable. */
  applyResponse: (response: Response) => Promise<void>;
  /** `extra` with the headers that ask a server for directives, for other HTTP clients; to be sent only where the client id may be known. */
  directiveHeaders: (extra?: RequestInit['headers']) => Record<string, string>;
  /** Resolves when nothing is in flight or queued: for a reference, for the directives of a response of `fetch`, or (nothing given) at all. Never rejects. */
  whenSettled: (what?: Reference | Response) => Promise<void>;
  /**
   * Resolves to `data` of the reference once the level is fresh: from the cache, or after a request. Rejects with the error of the request. A
   * level that failed before rejects without a request. For loaders of routers.
   */
  ensureItem: <T extends TypeName, I extends Id = Id, Levels extends object = LevelsOf<T>>(
    type: T | ItemDefinition<string, I, Levels>,
    id: NoInfer<I>,
    level?: (keyof NoInfer<Levels> & string) | null,
  ) => Promise<ItemReference<MergedLevels<Levels>>['data']>;
  /** Like `ensureItem`, for a collection. */
  ensureCollection: <C extends CollectionName, P = CollectionParams<C>, I extends Id = Id, Info = unknown>(
    name: C | CollectionDefinition<string, P, I, Info>,
    ...options: CollectionArguments<NoInfer<P>, ParamsOptions<NoInfer<P>>>
  ) => Promise<CollectionReference<P, I, Info>['data']>;
  /** `fetchItem`, and resolves when it has settled, also when it failed, now or before: `fetchItem` with `force` tries again. */
  prefetchItem: <T extends TypeName, I extends Id = Id, Levels extends object = LevelsOf<T>>(
    type: T | ItemDefinition<string, I, Levels>,
    id: NoInfer<I>,
    level?: (keyof NoInfer<Levels> & string) | null,
  ) => Promise<void>;
  /** `fetchCollection`, and resolves when it has settled, also when it failed. */
  prefetchCollection: <C extends CollectionName, P = CollectionParams<C>>(
    name: C | CollectionDefinition<string, P, Id, unknown>,
    ...options: CollectionArguments<NoInfer<P>, FetchCollectionOptions<NoInfer<P>>>
  ) => Promise<void>;
  /**
   * Aborts requests, closes the stream, clears every timer, settles every promise that was handed out. No type or collection is fetched
   * afterwards; `fetch` still sends, and applies nothing. Not in the cleanup of an effect: Strict Mode runs that once when it mounts.
   */
  dispose: () => void;
}
