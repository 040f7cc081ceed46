/**
 * The server's directives for an existing SWR cache (version 2). The stream, its numbers, replay, audiences, sources and idempotency are those
 * of the data layer; the cache, the requests and the hooks are SWR's.
 *
 * @module @edict/core/adapters/swr
 */

// SWR drops the answer of a request when another begins for the same key. A steady stream of changes would therefore keep a
// screen empty: here one revalidation runs for each key, and whatever comes meanwhile is one more after it.

import type { DataLayer } from '@edict/core';
import { must } from '../config/checks.ts';
import { paramsKey } from '../cache/params.ts';
import type { Change } from './changes.ts';
import type { GatheringOptions } from './gathering.ts';
import { createGathering, envOf } from './gathering.ts';
import { checkGiven, keyChecks, offering } from './given.ts';
import { createGuard } from './guard.ts';
import type { JoiningOptions } from './joining.ts';
import { endWith, join } from './joining.ts';
import type { Concern, KeyOptions } from './keys.ts';
import { createKeys } from './keys.ts';
import { createPatience } from './patience.ts';
import type { ResultOptions } from './results.ts';
import { dataOf } from './results.ts';

export type { KeyPattern } from './keys.ts';

/** What is asked of SWR: its `mutate`, the global one or that of `useSWRConfig()`. */
export interface SwrLike {
  /** SWR's own: revalidates a key, or those that a filter picks. */
  mutate(key: unknown, data?: unknown, options?: { revalidate: boolean }): Promise<unknown>;
}

/** Options of `connectSwr`. */
export interface SwrOptions extends KeyOptions, GatheringOptions, JoiningOptions, ResultOptions {
  /** Which keys a resync concerns (D-SSE-9). Default: all of them. */
  owns?: (key: unknown) => boolean;
}

const anSwr = offering(['mutate'], 'be { mutate }, as useSWRConfig returns it');

/** A key as a text, so that lists with the same members are one; null for what has no JSON form. */
function nameOf(key: unknown): string | null {
  try {
    return paramsKey({ key });
  } catch {
    return null;
  }
}

/**
 * Applies the directives that a data layer hears to an SWR cache: revalidates the keys that are concerned, gathered in one window. What no
 * component shows is revalidated by SWR when it is mounted again, unless `revalidateIfStale` is off. Call it before `dl.init`. Returns what ends it. The data layer needs
 * no types and no collections. Keys of `useSWRInfinite` and `useSWRSubscription` are out of its reach.
 * Throws a `TypeError` that names a wrong argument or option.
 *
 * ```ts
 * import { createDataLayer } from '@edict/core';
 * import { connectSwr } from '@edict/core/adapters/swr';
 * import { mutate } from 'swr';
 *
 * const dl = createDataLayer();
 * connectSwr(dl, { mutate }, { item: (type, id) => [type, id] });
 * dl.init({ sse: { url: '/api/events' } });
 * ```
 */
export function connectSwr(dl: DataLayer, swr: SwrLike, options: SwrOptions = {}): () => void {
  const intake = checkGiven('connectSwr', dl, options, keyChecks);
  must('connectSwr: the second argument', anSwr, swr);
  const env = envOf(options);
  const guard = createGuard('connectSwr', env.log);
  const keys = createKeys(options, guard);
  /** Revalidations by the names of their keys, and whether another one is owed. */
  const running = new Map<string, { readonly key: unknown; again: boolean; readonly at: number }>();
  let pending: Concern[] = [];
  let isEnded = false;

  const gathering = createGathering(dl, env, options.delayMs, () => {
    const concerns = pending;
    pending = [];
    revalidateAll((key) => concerns.some((concern) => concern.includes(key)));
  });

  /** SWR drops the answer of what hung when the next one begins. */
  const patience = createPatience<string>(env, (name) => {
    const hung = running.get(name);
    running.delete(name);
    if (hung !== undefined) revalidate(hung.key);
  });

  /** SWR shows its keys only to a filter; one that takes none changes nothing. */
  function keysThat(match: (key: unknown) => boolean): unknown[] {
    const found: unknown[] = [];
    const look = (key: unknown): boolean => {
      if (key !== undefined && match(key)) found.push(key);
      return false;
    };
    void swr.mutate(look).catch(() => undefined);
    return found;
  }

  function revalidateAll(match: (key: unknown) => boolean): void {
    for (const key of keysThat(match)) revalidate(key);
  }

  function revalidate(key: unknown): void {
    if (isEnded) return;
    const name = nameOf(key);
    const under = name === null ? undefined : running.get(name);
    if (name !== null && under !== undefined) {
      under.again = true;
      patience.wait(name, under.at);
      return;
    }
    const run = { key, again: false, at: env.now() };
    if (name !== null) running.set(name, run);
    const done = (): void => {
      if (name === null || running.get(name) !== run) return;
      running.delete(name);
      patience.stop(name);
      patience.restore(name);
      if (run.again) revalidate(key);
    };
    // Errors are the hooks' own to show.
    swr.mutate(key).then(done, done);
  }

  function changed(change: Change): void {
    const concern = keys.concernOf(change);
    const data = dataOf(change, options, guard);
    if (data === undefined) pending.push(concern);
    else {
      // SWR drops the answers of requests that began before this, so the result stays.
      for (const key of keysThat(concern.isExactly))
        void swr.mutate(key, data, { revalidate: false }).catch(() => undefined);
      pending.push({ ...concern, includes: (key) => concern.includes(key) && !concern.isExactly(key) });
    }
    gathering.open();
  }

  const resync = (): void => revalidateAll(keys.isOwn);

  const now = env.now();
  const unlisten = join(dl, intake, { changed, resync }, options.since ?? now, now);
  return endWith(intake, () => {
    isEnded = true;
    gathering.end();
    patience.end();
    unlisten();
  });
}
