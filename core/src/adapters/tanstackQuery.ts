/**
 * Applies the server's directives to an existing TanStack `QueryClient` (version 5). The data layer handles the stream, sequence numbers,
 * replay, audiences, sources, and idempotency. TanStack Query handles the cache, the requests, and the hooks.
 *
 * @module @edict/core/adapters/tanstack-query
 */

// TanStack Query loses an invalidation that arrives while the first request of a query is in flight: the response, which may be older than
// the change, counts as fresh. So a query stays in `marked` until a request has begun after the mark.

import type { DataLayer } from '@edict/core';
import { maxTransferMs } from '../platform/ages.ts';
import { must } from '../config/checks.ts';
import { createArrivals } from './arrivals.ts';
import type { Change } from './changes.ts';
import type { GatheringOptions } from './gathering.ts';
import { createGathering, envOf } from './gathering.ts';
import { checkGiven, keyChecks, offering } from './given.ts';
import { createGuard } from './guard.ts';
import type { JoiningOptions } from './joining.ts';
import { endWith, join, noteRequests } from './joining.ts';
import type { Concern, KeyOptions } from './keys.ts';
import { createKeys } from './keys.ts';
import { createPatience } from './patience.ts';
import type { QueryClientLike, QueryLike } from './queryClient.ts';
import { createRequests } from './requests.ts';
import type { ResultOptions } from './results.ts';
import { dataOf } from './results.ts';

export type { KeyPattern } from './keys.ts';
export type { QueryClientLike, QueryLike } from './queryClient.ts';

/** Options of `connectQueryClient`. */
export interface QueryClientOptions
  extends KeyOptions<readonly unknown[]>, GatheringOptions, JoiningOptions, ResultOptions {
  /** The queries that a resync refetches. Default: all. */
  owns?: (queryKey: readonly unknown[]) => boolean;
}

/** How many refetches of a query the data that enters it may cause within a minute. */
const mostRefetches = 10;

/** Whether an infinite query fetches only one more page. */
const isOnePage = (meta: unknown): boolean =>
  typeof meta === 'object' && meta !== null && 'fetchMore' in meta && meta.fetchMore !== undefined;

const aClient = offering(['getQueryCache'], 'be a QueryClient');

/**
 * Connects a TanStack `QueryClient` to a data layer, and returns the function that disconnects it. A directive marks the queries that it
 * concerns stale immediately, and refetches the active ones, coalesced in one window. Call it before `dl.init`, so that no change is missed
 * between the first query and the first connection. The data layer needs no types and no collections.
 * Throws a `TypeError` that names a wrong argument or option.
 *
 * ```ts
 * import { createDataLayer } from '@edict/core';
 * import { connectQueryClient } from '@edict/core/adapters/tanstack-query';
 * import { QueryClient } from '@tanstack/react-query';
 *
 * const queryClient = new QueryClient();
 * const dl = createDataLayer();
 * connectQueryClient(dl, queryClient, {
 *   item: (type, id) => [type, id],
 *   collection: (name, params) => [name, params],
 * });
 * dl.init({ sse: { url: '/api/events' } });
 * ```
 */
export function connectQueryClient(
  dl: DataLayer,
  client: QueryClientLike,
  options: QueryClientOptions = {},
): () => void {
  const internals = checkGiven('connectQueryClient', dl, options, keyChecks);
  must('connectQueryClient: the second argument', aClient, client);
  const env = envOf(options, internals);
  const guard = createGuard('connectQueryClient', env.log);
  const keys = createKeys(options, guard);
  const cache = client.getQueryCache();
  /** Marked stale, and not requested since. */
  const marked = new Set<QueryLike>();

  const gathering = createGathering(dl, env, options.delayMs, () => refetch([...marked]));
  const arrivals = createArrivals(env.now);
  const requests = createRequests(env.now);
  /** When data that entered a query was marked stale, within the last minute. */
  const refetchedAt = new WeakMap<QueryLike, readonly number[]>();
  /** The time of the oldest data. A date does not include the request or the transfer. */
  let oldest = options.since ?? env.now();
  for (const { state } of cache.getAll())
    if (state.data !== undefined) oldest = Math.min(oldest, state.dataUpdatedAt - maxTransferMs);

  /** A canceled query is requested again when it settles. Inactive queries are not canceled, because a caller that awaits one would get an error. */
  const patience = createPatience<QueryLike>(env, (hung) => {
    void client
      .cancelQueries({ type: 'active', predicate: (query) => query === hung })
      .catch(() => undefined);
    waitFor(hung);
  });

  const isIdle = (query: QueryLike): boolean => query.state.fetchStatus === 'idle';

  function mark(query: QueryLike): void {
    marked.add(query);
    query.invalidate();
  }

  /** A paused query waits for the network. */
  function waitFor(query: QueryLike): void {
    if (marked.has(query) && query.state.fetchStatus === 'fetching')
      patience.wait(query, requests.startedAt(query));
  }

  function fetching(query: QueryLike, isForOnePage: boolean): void {
    requests.noteStart(query);
    patience.stop(query);
    // The response to a request that begins after the mark includes the change, unless it is only one more page.
    if (!isForOnePage) marked.delete(query);
    else if (query.state.isInvalidated === true) marked.add(query);
    const { options: { queryFn } = { queryFn: null }, queryKey } = query;
    // A rendered page can contain a pending response. It was requested on the server, at an unknown time.
    const isFromServer = queryFn === undefined;
    if (isFromServer && arrivals.isNamedSince(queryKey, env.now() - maxTransferMs)) marked.add(query);
    if (!isForOnePage) requests.noteWholeStart(query);
    waitFor(query);
  }

  /** A query in flight stays in `marked`, and is requested again when it settles. */
  function refetch(queries: readonly QueryLike[]): void {
    const due = new Set(queries.filter((query) => marked.has(query) && isIdle(query)));
    for (const query of due) marked.delete(query);
    for (const query of queries) waitFor(query);
    if (due.size === 0) return;
    // The queries show errors.
    void client
      .refetchQueries({ type: 'active', predicate: (query) => due.has(query) }, { cancelRefetch: false })
      .catch(() => undefined);
  }

  /** The response was requested before the change. It is shown as stale, and one follow-up request runs (D-FETCH-2). */
  function settled(query: QueryLike): void {
    query.invalidate();
    void Promise.resolve().then(() => refetch([query]));
  }

  /** Stores a result in its query. Returns false while the query is fetching, because its response would replace the result. */
  function takeOver(query: QueryLike, concern: Concern, data: unknown): boolean {
    if (data === undefined || !isIdle(query) || !concern.isExactly(query.queryKey)) return false;
    marked.delete(query); // First, because a query in `marked` that settles is marked again.
    // The application's `structuralSharing` function may throw.
    return guard.run('setQueryData', () => (client.setQueryData(query.queryKey, data), true), false);
  }

  function changed(change: Change): void {
    const concern = keys.concernOf(change);
    const data = dataOf(change, options, guard);
    arrivals.note(concern);
    for (const query of cache.getAll()) {
      if (!concern.includes(query.queryKey) || takeOver(query, concern, data)) continue;
      mark(query);
      gathering.open();
    }
  }

  function resync(): void {
    const all = cache.getAll().filter(({ queryKey }) => keys.isOwn(queryKey));
    arrivals.note({ includes: keys.isOwn });
    for (const query of all) mark(query);
    refetch(all);
  }

  /**
   * Data entered a query without a request from this page. It may be older than its date, unless it equals the last response to this page. Tabs
   * that send their responses to each other must not continue forever, so the refetches are limited. The data is marked stale in any case.
   */
  function arrived(query: QueryLike): void {
    const { data, dataUpdatedAt, isInvalidated } = query.state;
    if (data === undefined || isInvalidated === true) return;
    const since = requests.startOf(query, data, dataUpdatedAt) ?? dataUpdatedAt - maxTransferMs;
    noteRequests(internals, env.now() - dataUpdatedAt + maxTransferMs); // Before the stream opens, it can still request the changes (D-SSE-8).
    if (!arrivals.isNamedSince(query.queryKey, since) && !noteRequests(internals, env.now() - dataUpdatedAt))
      return;
    const before = (refetchedAt.get(query) ?? []).filter((at) => at > env.now() - maxTransferMs);
    refetchedAt.set(query, [...before, env.now()]);
    mark(query);
    if (before.length < mostRefetches) gathering.open();
  }

  const unsubscribe = cache.subscribe(({ type, query, action }) => {
    if (type === 'added') return arrived(query);
    if (action?.type === 'fetch') return fetching(query, isOnePage(action.meta));
    if (action?.type === 'continue') requests.noteStart(query);
    if (action?.type === 'success' && action.manual !== true) {
      requests.noteSuccess(query, query.state.data);
      patience.restore(query);
    }
    const isRemoved = type === 'removed';
    const isOver = isRemoved || (type === 'updated' && action?.type !== 'invalidate' && isIdle(query));
    if (isOver) patience.stop(query);
    if (isRemoved) {
      marked.delete(query);
      patience.restore(query);
    } else if (!marked.has(query)) {
      // Hydration and persisters pass a date. Data that the application sets itself has none.
      const isDated = action?.type === 'success' && action.dataUpdatedAt !== undefined;
      if (action?.type === 'setState' || isDated) arrived(query);
    } else if (isOver) settled(query);
    else if (action?.type === 'continue') waitFor(query);
  });
  // It is unknown when these requests started. Those of a resync, below, start now.
  for (const query of cache.getAll()) {
    if (isIdle(query)) continue;
    mark(query);
    waitFor(query);
  }
  const unlisten = join(dl, internals, { changed, resync }, env.now() - oldest);

  return endWith(internals, () => {
    gathering.end();
    patience.end();
    unsubscribe();
    unlisten();
    marked.clear();
  });
}
