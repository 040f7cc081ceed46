/**
 * Applies the server's directives to an existing SWR cache (version 2). The data layer handles the stream, sequence numbers, replay,
 * audiences, sources, and idempotency. SWR handles the cache, the requests, and the hooks.
 *
 * @module @edict/core/adapters/swr
 */

// SWR drops the response of a request when another request begins for the same key. With frequent changes, a
// screen would stay empty. The adapter therefore runs one revalidation per key at a time, and one more afterwards
// if changes arrived in the meantime.

import type { DataLayer } from '@edict/core';
import { must } from '../config/checks.ts';
import type { Change } from './changes.ts';
import type { GatheringOptions } from './gathering.ts';
import { createGathering, envOf } from './gathering.ts';
import { checkGiven, keyChecks, offering } from './given.ts';
import { createGuard } from './guard.ts';
import type { JoiningOptions } from './joining.ts';
import { endWith, join } from './joining.ts';
import type { Concern, KeyOptions } from './keys.ts';
import { createKeys, paramsKeyOf } from './keys.ts';
import { createPatience } from './patience.ts';
import type { ResultOptions } from './results.ts';
import { dataOf } from './results.ts';

export type { KeyPattern } from './keys.ts';

/** The part of SWR that the adapter uses: the global `mutate`, or the one that `useSWRConfig()` returns. */
export interface SwrLike {
  /** Revalidates one key, or all keys that a filter accepts. */
  mutate(key: unknown, data?: unknown, options?: { revalidate: boolean }): Promise<unknown>;
}

/** Options of `connectSwr`. */
export interface SwrOptions extends KeyOptions, GatheringOptions, JoiningOptions, ResultOptions {
  /** The keys that a resync refetches. Default: all. */
  owns?: (key: unknown) => boolean;
}

const anSwr = offering(['mutate'], 'be { mutate }, as useSWRConfig returns it');

/** A key as a string, so that equal arrays are one key. Null for a key without a JSON form. */
const textOf = (key: unknown): string | null => paramsKeyOf({ key });

/**
 * Connects an SWR cache to a data layer, and returns the function that disconnects it. Directives revalidate the keys that they concern,
 * coalesced in one window. SWR revalidates keys that no component uses when they are mounted again, unless `revalidateIfStale` is off. Call
 * it before `dl.init`. The data layer needs no types and no collections. Keys of `useSWRInfinite` and `useSWRSubscription` are not reached.
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
  const internals = checkGiven('connectSwr', dl, options, keyChecks);
  must('connectSwr: the second argument', anSwr, swr);
  const env = envOf(options, internals);
  const guard = createGuard('connectSwr', env.log);
  const keys = createKeys(options, guard);
  /** Revalidations in flight, by key, and whether another one must follow. */
  const running = new Map<string, { readonly key: unknown; again: boolean; readonly at: number }>();
  let pending: Concern[] = [];
  let isEnded = false;

  const gathering = createGathering(dl, env, options.delayMs, () => {
    const concerns = pending;
    pending = [];
    revalidateAll((key) => concerns.some((concern) => concern.includes(key)));
  });

  /** SWR drops the response of the hung request when the next one begins. */
  const patience = createPatience<string>(env, (name) => {
    const hung = running.get(name);
    running.delete(name);
    if (hung !== undefined) revalidate(hung.key);
  });

  /** SWR passes its keys only to a filter. A filter that accepts none changes nothing. */
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
    const name = textOf(key);
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
    // The hooks show errors.
    swr.mutate(key).then(done, done);
  }

  function changed(change: Change): void {
    const concern = keys.concernOf(change);
    const data = dataOf(change, options, guard);
    if (data === undefined) pending.push(concern);
    else {
      // SWR drops the responses of requests that began before this, so the result stays.
      for (const key of keysThat(concern.isExactly))
        void swr.mutate(key, data, { revalidate: false }).catch(() => undefined);
      pending.push({ ...concern, includes: (key) => concern.includes(key) && !concern.isExactly(key) });
    }
    gathering.open();
  }

  const resync = (): void => revalidateAll(keys.isOwn);

  const now = env.now();
  const unlisten = join(dl, internals, { changed, resync }, now - (options.since ?? now));
  return endWith(internals, () => {
    isEnded = true;
    gathering.end();
    patience.end();
    unlisten();
  });
}
