// The operations of a data layer.

import type { LifecycleCallback, LifecycleEvent } from '../events/eventTypes.ts';
import type { JsonInit } from '../mutations/json.ts';
import type { Id } from '../protocol/directive.ts';
import type {
  CollectionName,
  CollectionParams,
  GivenPayload,
  LevelsOf,
  MergedLevels,
  TypeName,
} from './register.ts';
import type { ItemLevelName, ListArgument, TypeConfig } from './configs.ts';
import type { CollectionArguments, CollectionDefinition, Definition, ItemDefinition } from './definitions.ts';
import type { DirectivePath, DirectiveSource } from './delivery.ts';
import type { InitOptions, MemoryOptions, Some, SseOptions } from './options.ts';
import type { CollectionReference, ItemReference, Reference } from './references.ts';
import type { DevtoolsSnapshot, StateSnapshot } from './snapshots.ts';

/** The last argument of `fetchItem`. */
export interface FetchItemOptions {
  /** Whether to send a request even if the data is fresh or the last request failed. Default false. */
  force?: boolean | undefined;
  /** Whether the request stays out of `meta.isLoading`. Default false. */
  silent?: boolean | undefined;
}

/** The last argument of `fetchCollection`. */
export interface FetchCollectionOptions<P = object> extends FetchItemOptions, ParamsOptions<P> {}

/** The params that select one entry of a collection. */
export interface ParamsOptions<P = object> {
  /** The params. No params, null, and `{}` are the same. */
  params?: P | null | undefined;
}

/**
 * The client data layer. Every operation is bound and can be destructured. Every operation that accepts a name accepts a definition too.
 */
export interface DataLayer {
  /**
   * Configures the data layer and connects the event stream, unless `sse.connectOnInit` is false. A second call merges its options and
   * opens no second connection. In development, throws a `TypeError` that names a wrong option. Then no option of the call applies.
   */
  init: (options?: InitOptions) => void;
  /**
   * Registers an item type by name. A name that is registered gets the new config and keeps its cached data. In development,
   * throws a `TypeError` that names what is wrong in the config.
   */
  createType: <T extends TypeName>(name: T, config: TypeConfig<T>) => void;
  /**
   * Registers a collection by name. A name that is registered gets the new config and keeps its cached data. In development,
   * throws a `TypeError` that names what is wrong in the config.
   */
  createCollection: <
    C extends CollectionName,
    I = Id,
    Info = unknown,
    Levels extends object = never,
    O extends TypeName = never,
    L extends ItemLevelName<Levels> = never,
    Given = never,
  >(
    name: C,
    config: ListArgument<CollectionParams<C> | undefined, I, Info, Levels, O, L, LevelsOf<O>, Given>,
  ) => void;
  /**
   * Registers definitions, like `createType` and `createCollection`. A definition that is registered now is skipped. Another definition of
   * the same name replaces the config and keeps the cached data. In development, throws a `TypeError` that names what is wrong in a config.
   */
  register: (...definitions: readonly Definition[]) => void;
  /**
   * Reads one level of an item (default `'default'`) and requests it if it is missing or stale. Returns the reference immediately; the
   * response appears in it. A failed request appears in `meta` and is repeated only with `force` or by a directive. Throws an `Error` for
   * an unregistered type or level.
   */
  fetchItem: <T extends TypeName, I extends Id = Id, Levels extends object = LevelsOf<T>>(
    type: T | ItemDefinition<string, I, Levels>,
    id: NoInfer<I>,
    level?: (keyof NoInfer<Levels> & string) | null,
    options?: FetchItemOptions,
  ) => ItemReference<MergedLevels<Levels>>;
  /**
   * Reads a collection with one set of params and requests it if it is missing or stale. Returns the reference immediately, like
   * `fetchItem`. Throws an `Error` for an unregistered name, and a `TypeError` for params without a JSON form.
   */
  fetchCollection: <C extends CollectionName, P = CollectionParams<C>, I extends Id = Id, Info = unknown>(
    name: C | CollectionDefinition<string, P, I, Info>,
    ...options: CollectionArguments<NoInfer<P>, FetchCollectionOptions<NoInfer<P>>>
  ) => CollectionReference<P, I, Info>;
  /**
   * Returns the reference of an item without a request. It is the same object until the entry is evicted. Throws an `Error` for an
   * unregistered type.
   */
  getItemRef: <T extends TypeName, I extends Id = Id, Levels extends object = LevelsOf<T>>(
    type: T | ItemDefinition<string, I, Levels>,
    id: NoInfer<I>,
  ) => ItemReference<MergedLevels<Levels>>;
  /**
   * Returns the reference of a collection with one set of params, without a request. It is the same object until the entry is evicted.
   * Throws like `fetchCollection`.
   */
  getCollectionRef: <C extends CollectionName, P = CollectionParams<C>, I extends Id = Id, Info = unknown>(
    name: C | CollectionDefinition<string, P, I, Info>,
    ...options: CollectionArguments<NoInfer<P>, ParamsOptions<NoInfer<P>>>
  ) => CollectionReference<P, I, Info>;
  /**
   * Applies directives of the server contract or of the legacy client shape, in any mix. With `path: 'push'` (default), directives with
   * this client's own `source` are ignored. Resolves when every refetch that the directives caused has settled. Never rejects: an invalid
   * directive is reported as `directive:rejected`, and the others are applied.
   */
  applyDirectives: (directives: readonly unknown[], options?: { path?: DirectivePath }) => Promise<void>;
  /**
   * Calls back synchronously after every batch of visible changes to entries, evictions, or the status of the stream. Returns a function
   * that unsubscribes.
   */
  onChange: (callback: () => void) => () => void;
  /**
   * Calls back synchronously after every batch that changed this reference. While subscribed, its entry counts as watched. Returns a
   * function that unsubscribes.
   */
  onRefChange: (ref: Reference, callback: () => void) => () => void;
  /** Calls back with `{ event, detail }` on one lifecycle event, or on all of them with `*`. Returns a function that unsubscribes. */
  onLifecycle: <E extends LifecycleEvent | '*'>(event: E, callback: LifecycleCallback<E>) => () => void;
  /** Returns the id of this instance, which is sent as `X-Service-Client-ID` and with the stream. */
  clientId: () => string;
  /** Returns a deep plain copy of the registry, the connection, and the number of entries and pending requests. It can be serialized. */
  state: () => StateSnapshot;
  /**
   * Returns everything in `state()`, every entry, the requests in flight, and the last 200 lifecycle events. It is expensive: use it in
   * tools and tests.
   */
  devtools: () => DevtoolsSnapshot;
  /** Whether a request for exactly this item and level is in flight, silent or not. */
  isItemLoading: <T extends TypeName, I extends Id = Id, Levels extends object = LevelsOf<T>>(
    type: T | ItemDefinition<string, I, Levels>,
    id: NoInfer<I>,
    level?: (keyof NoInfer<Levels> & string) | null,
  ) => boolean;
  /** Whether a request for exactly this collection and these params is in flight, silent or not. */
  isCollectionLoading: <C extends CollectionName, P = CollectionParams<C>>(
    name: C | CollectionDefinition<string, P, Id, unknown>,
    params?: NoInfer<P> | null,
  ) => boolean;
  /** Whether any request for an item or a collection is in flight, silent or not. */
  hasAnyInFlightRequests: () => boolean;
  /**
   * Connects the event stream, or ends the wait for the next attempt. Does nothing while connected. Also works after the server has ended
   * all attempts with 204, 401, or 403.
   */
  connectSse: () => void;
  /** Ends the stream and the wait for the next attempt, until `connectSse`. A resync that is due stays due. */
  disconnectSse: () => void;
  /**
   * Merges options. The stream reconnects if the URL, audience, parameter names, credentials, or headers changed. In development,
   * throws a `TypeError` that names a wrong option.
   */
  configureSse: (options: Some<SseOptions>) => void;
  /** Merges options of eviction. They apply from the next sweep. In development, throws a `TypeError` that names a wrong option. */
  configureMemory: (options: Some<MemoryOptions>) => void;
  /**
   * Replaces the event stream with a custom transport, and connects it if `init` has run. `null` returns to the
   * event stream.
   */
  configureDirectiveSource: (source: DirectiveSource | null) => void;
  /** Connects the custom transport. Does nothing while it is connected. */
  connectDirectiveSource: () => void;
  /** Ends the connection of the custom transport, until `connectDirectiveSource`. */
  disconnectDirectiveSource: () => void;
  /** Accepts one envelope from any transport. The rules for sequence, source, and audience apply. Never throws. */
  ingestEnvelope: (envelope: unknown) => void;
  /**
   * `fetch` for mutations. For the own origin and `fetchOrigins`, it sends the client id, asks for directives, and applies those of the
   * response, whatever its status, before it resolves. The body stays readable. Rejects like `fetch`.
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
  /**
   * Applies the directives in the header or the JSON body of a response, for other HTTP clients. Resolves when they are applied; refetches
   * are not awaited. The body stays readable.
   */
  applyResponse: (response: Response) => Promise<void>;
  /**
   * Returns `extra`, with its names in lower case, and the headers that ask a server for directives, for other HTTP clients. Send them only
   * to servers that may receive the client id.
   */
  directiveHeaders: (extra?: RequestInit['headers']) => Record<string, string>;
  /**
   * Resolves when nothing is in flight or queued: for a reference, for the directives of a response of `fetch`, or for everything. Never
   * rejects.
   */
  whenSettled: (what?: Reference | Response) => Promise<void>;
  /**
   * Resolves to `data` of the reference once the level is fresh: from the cache, or after a request. It is null if the item does not exist.
   * Rejects with the error of the request, or when the data layer is disposed or reset. A level that failed before rejects without a request.
   * For loaders of routers.
   */
  ensureItem: <
    T extends TypeName,
    I extends Id = Id,
    Levels extends object = LevelsOf<T>,
    L extends (keyof Levels & string) | null | undefined = undefined,
  >(
    type: T | ItemDefinition<string, I, Levels>,
    id: NoInfer<I>,
    level?: L,
  ) => Promise<GivenPayload<Levels, L> | null>;
  /** Like `ensureItem`, for a collection. */
  ensureCollection: <C extends CollectionName, P = CollectionParams<C>, I extends Id = Id, Info = unknown>(
    name: C | CollectionDefinition<string, P, I, Info>,
    ...options: CollectionArguments<NoInfer<P>, ParamsOptions<NoInfer<P>>>
  ) => Promise<CollectionReference<P, I, Info>['data']>;
  /**
   * Like `fetchItem`, but returns a promise that resolves when the request has settled, also when it failed. An item whose last request
   * failed is not requested again; use `fetchItem` with `force`.
   */
  prefetchItem: <T extends TypeName, I extends Id = Id, Levels extends object = LevelsOf<T>>(
    type: T | ItemDefinition<string, I, Levels>,
    id: NoInfer<I>,
    level?: (keyof NoInfer<Levels> & string) | null,
  ) => Promise<void>;
  /** Like `fetchCollection`, but returns a promise that resolves when the request has settled, also when it failed. */
  prefetchCollection: <C extends CollectionName, P = CollectionParams<C>>(
    name: C | CollectionDefinition<string, P, Id, unknown>,
    ...options: CollectionArguments<NoInfer<P>, FetchCollectionOptions<NoInfer<P>>>
  ) => Promise<void>;
  /**
   * Forgets everything of one user, for signing in and out: aborts requests, drops every entry, forgets idempotency keys and cursors, and gets a new
   * client id. Connects again if it was connected, with the new audiences if there are any. Mounted hooks show `isPending` and fetch again. A `fetch`
   * in flight rejects with an `AbortError`, and the responses of earlier mutations apply nothing. Other subscribers of `onRefChange` are notified once, and keep
   * a stale, empty reference. Registered types, options, and listeners stay.
   *
   * ```ts
   * import { DL } from '@edict/core';
   *
   * function signedIn(userId: string) {
   *   DL.reset({ audience: ['global', `user-${userId}`] });
   * }
   * ```
   */
  reset: (options?: { audience?: string | readonly string[] | undefined }) => void;
  /**
   * Aborts requests, closes the stream, clears every timer, and settles every promise. Afterwards no type or collection is requested;
   * `fetch` still sends, and applies nothing. Do not call it in the cleanup of an effect: in Strict Mode, React runs the cleanup once when
   * the component mounts.
   */
  dispose: () => void;
}
