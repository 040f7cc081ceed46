// Connects the parts to the operations of document §4.4 and §4.3. It makes no decisions itself.

import { isId, must } from './config/checks.ts';
import type { NameOrDefinition } from './config/definitions.ts';
import { createRecent } from './directives/recent.ts';
import { dev, disposedError, fail } from './config/describe.ts';
import { createRegistry, type Registry } from './config/registry.ts';
import { createJson } from './mutations/json.ts';
import { createDirectives } from './directives/apply.ts';
import { createSeenKeys, type Reloads } from './directives/idempotency.ts';
import { createOwnEchoes } from './directives/ownEchoes.ts';
import { idKey, isBusy, isRequested, ordinary } from './cache/entry.ts';
import type { Def, Entry, ReadKind, Slot, Watcher } from './cache/entry.ts';
import { createSweep } from './cache/eviction.ts';
import { paramsKey } from './cache/params.ts';
import { dataIn, refOf } from './cache/reference.ts';
import { createCache } from './cache/store.ts';
import { createLifecycle } from './events/bus.ts';
import { defaultSettings, mergeSettings } from './config/options.ts';
import { createFetchEvents } from './events/fetchEvents.ts';
import type { DataLayer, FetchCollectionOptions } from './types/dataLayer.ts';
import type { Definition } from './types/definitions.ts';
import type { DirectivePath } from './types/delivery.ts';
import type { InitOptions } from './types/options.ts';
import { createInspect } from './inspect/snapshots.ts';
import { addTo } from './platform/callbacks.ts';
import type { Base } from './platform/base.ts';
import { withOwnTime } from './platform/clock.ts';
import { createMutations } from './mutations/fetch.ts';
import type { Id } from './protocol/directive.ts';
import { envOf, type Env } from './platform/env.ts';
import { hiddenOf, withHidden } from './platform/hidden.ts';
import { ownTimers } from './platform/ownTimers.ts';
import { createAudiences } from './stream/audiences.ts';
import { createEnvelopes } from './stream/envelopes.ts';
import { createResync } from './stream/resync.ts';
import { createDirectiveSources, type SourceState } from './stream/directiveSources.ts';
import { createSseClient } from './stream/client.ts';
import { createBulk } from './fetching/batching.ts';
import { createReading } from './fetching/read.ts';
import { createRefetchAll } from './fetching/refetchAll.ts';
import { createFetching } from './fetching/requests.ts';
import { isResponse } from './fetching/responses.ts';
import { createSettledWaiters } from './fetching/whenSettled.ts';
import { checkCall, checkReadOptions } from './config/optionChecks.ts';
import type { Internals } from './parts.ts';

/** What `createDataLayer` takes. */
export interface DataLayerOptions {
  /** Parts of the environment that replace those of the platform. */
  env?: Partial<Env> | undefined;
  /** Definitions to register, as with `register`. */
  register?: readonly Definition[] | undefined;
  /** Defaults for the options of `init`. They replace the library's defaults. */
  defaults?: InitOptions | undefined;
}

/** The options of every read, with those that only the hooks use. */
interface ReadOptions extends FetchCollectionOptions {
  readonly isBatchable?: boolean;
  readonly isRequired?: boolean;
}

function kindOf(given?: ReadOptions | null): ReadKind {
  if (!given) return ordinary;
  const { silent = false, force: forced = false, isBatchable = false, isRequired = false } = given;
  return { silent, isBatchable, forced, isRequired };
}

/** The parts that survive a reset of the data layer. */
interface Kept extends Omit<Base, 'clientId' | 'disposed'> {
  readonly registry: Registry;
  /** The callbacks of `onChange`. */
  readonly changeListeners: Set<Watcher>;
  readonly sourceState: SourceState;
  readonly reloads: Reloads;
  readonly sweeping: { hasTimer: boolean };
  /** Changes the options in force. */
  readonly configure: (given: unknown) => void;
}

/** Everything that `reset` replaces: the cache, the requests, and the connection of one user. */
function createSession(kept: Kept) {
  const { lifecycle, registry, settings } = kept;
  const ending = new AbortController();
  const disposed = ending.signal;
  const env = ownTimers(kept.env, disposed);
  let id: string | null = null;
  /**
   * Created when it is first needed. `DL` is created while its module loads, and some platforms have no randomness
   * at that time.
   */
  const clientId = (): string => (id ??= env.newId());

  // The parts in the order of their dependencies. Each selects the parts that it needs.
  const base = { ...kept, env, clientId, disposed };
  const waiters = createSettledWaiters();
  const cache = createCache({ ...base, onEnded: waiters.check, onUnwatched });
  const emitFetchEvent = createFetchEvents(lifecycle);
  const audiences = createAudiences(base);
  const recent = createRecent(env);
  const seenKeys = createSeenKeys(env, kept.reloads);
  const ownEchoes = createOwnEchoes(env);
  const state = { ...base, cache, emitFetchEvent, audiences, recent, seenKeys, ownEchoes };
  const fetching = createFetching(state);
  const bulk = createBulk({ ...state, fetching });
  const requesting = { ...state, fetching, bulk };
  const read = createReading(requesting);
  const directives = createDirectives(requesting);
  const mutations = createMutations({ ...requesting, directives });
  const sweep = createSweep(state);
  const { refetchAll, refetchStale } = createRefetchAll(requesting);
  const resync = createResync({ ...base, refetchAll });
  const envelopes = createEnvelopes({ ...state, directives, resync });
  const sse = createSseClient({ ...requesting, envelopes, resync, onConnect: listen });
  const source = createDirectiveSources({ ...base, envelopes, applyDirectives, sse });
  let unlisten: (() => void) | null = null;

  /**
   * One page listener serves all parts. It exists from the first entry or connection on (D-FETCH-9, D-SSE-4,
   * D-SSE-5).
   */
  function listen(): void {
    const { page } = env;
    unlisten ??=
      page?.onChange((what) => {
        if (what !== 'visibility') return sse.onPage(what);
        if (!page.isVisible()) return settings().sse.pauseHidden ? sse.onPage('hide') : undefined;
        sse.onPage('visible');
        refetchStale();
      }) ?? null;
  }

  /** The timer of the sweep exists only while there are entries that can be evicted later (D-MEM-2). */
  function onUnwatched(): void {
    if (disposed.aborted) return;
    sweep.arm();
    listen();
  }

  /** Returns the type of a requested item. Throws if the type is not registered, or if the id is not valid. */
  function typeFor(type: NameOrDefinition, id: Id): Def {
    const def = registry.type(type);
    if (!isId(id)) must(`an id of "${def.name}"`, isId, id);
    return def;
  }

  function readItem(type: NameOrDefinition, id: Id, level?: string | null, given?: ReadOptions): Slot {
    const def = typeFor(type, id);
    const { level: name } = registry.fetcher(def, level); // It throws before there is an entry.
    return read(cache.item(def, id), name, kindOf(given));
  }

  const collectionEntry = (name: NameOrDefinition, given?: ReadOptions): Entry =>
    cache.collection(registry.collection(name), given?.params);

  const readCollection = (name: NameOrDefinition, given?: ReadOptions): Slot =>
    read(collectionEntry(name, given), 'default', kindOf(given));

  const isLoading = (entry: Entry | undefined, level: string): boolean =>
    entry?.slots.some((slot) => slot.level === level && isRequested(slot)) === true;

  function applyDirectives(list: unknown, given?: { path?: DirectivePath } | null): Promise<void> {
    return waiters.until(directives.apply(list, { path: given?.path ?? 'push' }));
  }

  function entryBehind(what: string, ref: unknown): Entry {
    const entry = hiddenOf(ref) as Partial<Entry> | null | undefined; // Or the hidden value of a data layer or an event.
    return entry?.def?.env === kept.env
      ? (entry as Entry)
      : fail(`${what}: it`, dev`be given a reference, as returned by fetchItem of this data layer`, ref);
  }

  const busyEntry = (slot: Slot): Entry | null => (isBusy(slot) ? slot.entry : null);

  const untilSettled = (slot: Slot): Promise<void> => waiters.until(() => busyEntry(slot));

  function ensuredData({ failure, fetchedAt, payload, entry }: Slot): unknown {
    if (failure !== null || fetchedAt === null || disposed.aborted)
      return Promise.reject((failure ? failure.thrown : disposedError()) as Error); // It may be anything that was thrown.
    return payload === null ? null : (dataIn(entry) ?? payload);
  }

  const ensured = (read: () => Slot): Promise<unknown> => waiters.until(busyEntry, ensuredData, read);

  function whenSettled(what?: unknown): Promise<void> {
    if (isResponse(what)) return waiters.until(() => mutations.awaited(what));
    const entry = what === undefined ? null : entryBehind('whenSettled', what);
    return waiters.until(() => {
      const [slot] = entry?.slots.filter(isBusy) ?? cache.busy;
      return slot?.entry;
    });
  }

  function configure(given: { sse?: unknown; memory?: unknown } = {}): void {
    const { sse: before } = settings();
    kept.configure(given);
    if (given.sse !== undefined) sse.configured(before, settings().sse);
    else sweep.rearm();
  }

  const operations = {
    init(given?: { sse?: unknown }) {
      configure(given);
      sweep.rearm();
      source.start();
    },
    createType: registry.createType,
    createCollection: registry.createCollection,
    register: registry.register,
    fetchItem: (type: NameOrDefinition, id: Id, level?: string | null, given?: ReadOptions) =>
      refOf(readItem(type, id, level, given).entry),
    fetchCollection: (name: NameOrDefinition, given?: ReadOptions) =>
      refOf(readCollection(name, given).entry),
    getItemRef: (type: NameOrDefinition, id: Id) => refOf(cache.item(typeFor(type, id), id)),
    getCollectionRef: (name: NameOrDefinition, given?: ReadOptions) => refOf(collectionEntry(name, given)),
    applyDirectives,
    onChange: cache.onChange,
    onRefChange(ref: unknown, callback: () => void) {
      // This is only a warning. In Strict Mode, the cleanup of an effect runs once when the component mounts, and
      // it may dispose the data layer.
      if (process.env.NODE_ENV !== 'production' && disposed.aborted)
        env.log('warn', 'watched after dispose(): nothing is fetched');
      return cache.watch(entryBehind('onRefChange', ref), callback);
    },
    onLifecycle: lifecycle.on,
    clientId,
    ...createInspect({ ...requesting, sse: sse.info }),
    isItemLoading(type: NameOrDefinition, id: Id, level?: string | null) {
      const def = typeFor(type, id);
      return isLoading(def.entries.get(idKey(id)), registry.fetcher(def, level).level);
    },
    isCollectionLoading: (name: NameOrDefinition, params?: object | null) =>
      isLoading(registry.collection(name).entries.get(paramsKey(params)), 'default'),
    hasAnyInFlightRequests: () => [...cache.busy].some(isRequested),
    connectSse: sse.connect,
    disconnectSse: () => sse.disconnect('disconnect'),
    configureSse: (given: unknown) => configure({ sse: given }),
    configureMemory: (given: unknown) => configure({ memory: given }),
    configureDirectiveSource: source.configure,
    connectDirectiveSource: source.connect,
    disconnectDirectiveSource: source.disconnect,
    ingestEnvelope: envelopes.ingest,
    fetch: mutations.fetch,
    json: createJson(mutations.fetch),
    applyResponse: mutations.applyResponse,
    directiveHeaders: mutations.directiveHeaders,
    whenSettled,
    ensureItem: (type: NameOrDefinition, id: Id, level?: string | null) =>
      ensured(() => readItem(type, id, level)),
    ensureCollection: (name: NameOrDefinition, given?: ReadOptions) =>
      ensured(() => {
        if (process.env.NODE_ENV !== 'production') checkReadOptions('ensureCollection', name, given);
        return readCollection(name, given);
      }),
    prefetchItem: (type: NameOrDefinition, id: Id, level?: string | null) =>
      untilSettled(readItem(type, id, level)),
    prefetchCollection: (name: NameOrDefinition, given?: ReadOptions) =>
      untilSettled(readCollection(name, given)),
  };
  return {
    operations,
    /** The operations in the same order. A call by position is faster than one by name. */
    calls: Object.values(operations) as ((...given: unknown[]) => unknown)[],
    /** The parts that the hooks, hydration, and the adapters use. */
    parts: { ...requesting, env: kept.env, mutations, waiters, source, sse },
    end() {
      ending.abort();
      source.disconnect();
      sse.disconnect('dispose');
      unlisten?.();
    },
  };
}

/**
 * Creates a data layer. Two data layers share nothing. In development, throws a `TypeError` that names a wrong option.
 *
 * ```ts
 * import { createDataLayer, defineItem } from '@edict/core';
 *
 * const ticket = defineItem('ticket', { fetch: async (id: number) => (await fetch(`/api/tickets/${id}`)).json() });
 * const dl = createDataLayer({ register: [ticket] });
 * dl.init();
 * ```
 */
export function createDataLayer(options: DataLayerOptions = {}): DataLayer {
  const env = withOwnTime(envOf(options));
  const lifecycle = createLifecycle(env);
  const registry = createRegistry(env);
  let settings = mergeSettings(defaultSettings(), options.defaults);
  const kept: Kept = {
    env,
    lifecycle,
    registry,
    changeListeners: new Set(),
    reloads: {},
    sweeping: { hasTimer: env.page !== null },
    sourceState: { source: null, hasStarted: false, wantsStream: false },
    settings: () => settings,
    configure(given) {
      settings = mergeSettings(settings, given);
    },
  };
  const ending = new AbortController();
  const resetListeners = new Set<() => void>();
  let session = createSession(kept);

  // Every operation uses the current session.
  const operations = Object.fromEntries(
    Object.keys(session.operations).map((name, at) => [
      name,
      (...given: unknown[]) => {
        if (process.env.NODE_ENV !== 'production') checkCall(name, given);
        return session.calls[at]?.(...given);
      },
    ]),
  ) as unknown as typeof session.operations; // The same operations by name.

  const layer = {
    ...operations,
    reset(options?: { audience?: string | readonly string[] }) {
      if (process.env.NODE_ENV !== 'production') checkCall('reset', [options]);
      if (ending.signal.aborted) return;
      kept.configure({ sse: { audience: options?.audience } });
      const { parts, end } = session;
      const wasConnected = parts.source.info()?.isConnected === true;
      const wantedStream = parts.sse.isWanted();
      parts.cache.batch(() => {
        end();
        parts.cache.empty(registry.entries());
        session = createSession(kept); // Before subscribers are notified, because they read for the next user.
      });
      if (wasConnected) session.parts.source.connect();
      else if (wantedStream) session.parts.sse.connect();
      for (const callback of [...resetListeners]) callback();
    },
    dispose() {
      if (ending.signal.aborted) return;
      ending.abort();
      session.end();
      lifecycle.clear();
    },
  };
  const internals: Internals = {
    get parts() {
      return session.parts;
    },
    onReset: (callback) => addTo(resetListeners, callback),
    disposed: ending.signal,
  };
  registry.register(...(options.register ?? []));
  // Internally, names are strings and data is unknown. `Register` narrows them only for callers.
  return withHidden(layer satisfies Record<keyof DataLayer, unknown>, internals) as unknown as DataLayer;
}
