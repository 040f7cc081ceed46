/**
 * The server's directives for an existing TanStack `QueryClient` (version 5). The stream, its numbers, replay, audiences, sources and
 * idempotency are those of the data layer; the cache, the requests and the hooks are TanStack's.
 *
 * @module @edict/core/adapters/tanstack-query
 */

// TanStack forgets an invalidation that lands while the first request of a query is in flight: the answer, which may be older than the
// change, is shown as fresh. So what is marked here stays owed until a request has begun after the mark.

import type { DataLayer } from '@edict/core';
import { onItsWayMs } from '../hydration/ages.ts';
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
export interface QueryClientOptions extends KeyOptions, GatheringOptions, JoiningOptions, ResultOptions {
  /** Which queries a resync concerns (D-SSE-9). Default: all of them. */
  owns?: (queryKey: readonly unknown[]) => boolean;
}

/** An infinite query that fetches one page more leaves the others as they are. */
const isOnePage = (meta: unknown): boolean =>
  typeof meta === 'object' && meta !== null && 'fetchMore' in meta && meta.fetchMore !== undefined;

const aClient = offering(['getQueryCache'], 'be a QueryClient');

/**
 * Applies the directives that a data layer hears to a TanStack `QueryClient`: marks the queries that are concerned stale at once, and
 * refetches the active ones, gathered in one window. Call it before `dl.init`, so that nothing is missed between the first query and
 * the first connection. Returns what ends it. The data layer needs no types and no collections.
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
  const intake = checkGiven('connectQueryClient', dl, options, keyChecks);
  must('connectQueryClient: the second argument', aClient, client);
  const env = envOf(options);
  const guard = createGuard('connectQueryClient', env.log);
  const keys = createKeys(options, guard);
  const cache = client.getQueryCache();
  /** Marked, and not requested since. */
  const owed = new Set<QueryLike>();
  /** Requested since they were marked, or left to whoever shows them, and not answered. */
  const asked = new Set<QueryLike>();
  let isEnded = false;

  const gathering = createGathering(dl, env, options.delayMs, () => refetch([...owed]));
  const arrivals = createArrivals(env.now);
  const requests = createRequests(env.now);
  /** From this moment on, what was said is heard here or replayed: the oldest data is from then. */
  let heardSince = options.since ?? env.now();
  for (const { state } of cache.getAll())
    if (state.data !== undefined) heardSince = Math.min(heardSince, state.dataUpdatedAt);

  /** Its settling asks again. What nobody shows may take its time: whoever waits for it would be told of an error. */
  const patience = createPatience<QueryLike>(env, (hung) => {
    if (!owed.has(hung)) return;
    void client
      .cancelQueries({ type: 'active', predicate: (query) => query === hung })
      .catch(() => undefined);
    waitFor(hung);
  });

  const isIdle = (query: QueryLike): boolean => query.state.fetchStatus === 'idle';

  function mark(query: QueryLike): void {
    owed.add(query);
    query.invalidate();
  }

  /** An answer to a request that begins after the mark has the change, unless it is cancelled for one page more. */
  function begun(query: QueryLike, isForOnePage: boolean): void {
    const [from, to] = isForOnePage ? [asked, owed] : [owed, asked];
    if (from.delete(query)) to.add(query);
  }

  /** One that is paused waits for the network. */
  function waitFor(query: QueryLike): void {
    if (owed.has(query) && query.state.fetchStatus === 'fetching')
      patience.wait(query, requests.startedAt(query));
  }

  function fetching(query: QueryLike, isForOnePage: boolean): void {
    requests.start(query);
    patience.stop(query);
    begun(query, isForOnePage);
    const { options: { queryFn } = { queryFn: null }, queryKey } = query;
    // A rendered page may bring an answer that is still under way: it was asked for there, nobody knows when.
    const isBrought = queryFn === undefined && requests.isNone(query);
    if (isBrought && arrivals.isNamedSince(queryKey, env.now() - onItsWayMs)) owed.add(query);
    if (!isForOnePage) requests.begin(query);
    waitFor(query);
  }

  /** What is in flight stays owed: its settling asks again. */
  function refetch(queries: readonly QueryLike[]): void {
    const due = new Set(queries.filter((query) => owed.has(query) && isIdle(query)));
    for (const query of due) begun(query, false);
    for (const query of queries) waitFor(query);
    if (due.size === 0 || isEnded) return;
    // Errors are the queries' own to show.
    void client
      .refetchQueries({ type: 'active', predicate: (query) => due.has(query) }, { cancelRefetch: false })
      .catch(() => undefined);
  }

  /** An answer that was asked for before the change: it is shown, but not as fresh, and one follow-up runs (D-FETCH-2). */
  function settled(query: QueryLike): void {
    query.invalidate();
    if (!gathering.isOpen()) void Promise.resolve().then(() => refetch([query]));
  }

  /** True where the query now holds the result. Not while it is fetching: the answer under way would replace it. */
  function takeOver(query: QueryLike, concern: Concern, data: unknown): boolean {
    if (data === undefined || !isIdle(query) || !concern.isExactly(query.queryKey)) return false;
    owed.delete(query); // First: what is owed and settles is marked again.
    // The application may have given a function that compares.
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

  /** Whether something was said since this moment that is not heard here; the stream is still asked for it, if it is not open (D-SSE-8). */
  function isMissed(moment: number): boolean {
    if (moment >= heardSince) return false;
    const isTooLate = noteRequests(intake, moment, env.now());
    if (!isTooLate) heardSince = moment;
    return isTooLate;
  }

  /** Data was put into a query that nothing here has fetched. It may be older than it says, but for what was asked for here since. */
  function arrived(query: QueryLike): void {
    const { data, dataUpdatedAt, isInvalidated } = query.state;
    if (data === undefined || isInvalidated === true) return;
    const askedAt = requests.currentAt(query);
    // What is dated before the request is no answer to it: a persister has put what it had in that place.
    const isAnswer = dataUpdatedAt >= askedAt;
    const moment = Math.max(dataUpdatedAt - onItsWayMs, isAnswer ? askedAt : -Infinity);
    if (!arrivals.isNamedSince(query.queryKey, moment) && !isMissed(dataUpdatedAt)) return;
    mark(query);
    gathering.open();
  }

  const unsubscribe = cache.subscribe(({ type, query, action }) => {
    if (type === 'added') return arrived(query);
    if (action?.type === 'fetch') return fetching(query, isOnePage(action.meta));
    if (action?.type === 'continue') requests.start(query);
    if (action?.type === 'success' && action.manual !== true) {
      requests.answer(query);
      patience.restore(query);
    }
    const isRemoved = type === 'removed';
    const isOver = isRemoved || (type === 'updated' && action?.type !== 'invalidate' && isIdle(query));
    if (isOver) {
      asked.delete(query);
      patience.stop(query);
    }
    if (isRemoved) {
      owed.delete(query);
      patience.restore(query);
    } else if (!owed.has(query)) {
      // By hydration, or by a persister: what an application puts there itself has no date of its own.
      const isDated = action?.type === 'success' && action.dataUpdatedAt !== undefined;
      if (action?.type === 'setState' || isDated) arrived(query);
    } else if (isOver) settled(query);
    else if (action?.type === 'continue') waitFor(query);
  });
  const unlisten = join(dl, intake, { changed, resync }, heardSince, env.now());

  // Nobody knows since when these have been under way.
  for (const query of cache.getAll()) {
    if (isIdle(query)) continue;
    mark(query);
    waitFor(query);
  }

  return endWith(intake, () => {
    isEnded = true;
    gathering.end();
    patience.end();
    unsubscribe();
    unlisten();
    owed.clear();
    asked.clear();
  });
}
