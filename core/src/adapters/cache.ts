/**
 * The server's directives for a cache that has no adapter of its own here, such as RTK Query's or one of your own: what
 * changed, gathered, without repeats and without gaps. The stream, its numbers, replay, audiences, sources and idempotency are those of
 * the data layer; what a change means is said by you.
 *
 * @module @edict/core/adapters/cache
 */

import type { DataLayer } from '@edict/core';
import { must } from '../config/checks.ts';
import { idKey } from '../cache/ids.ts';
import { paramsKey } from '../cache/params.ts';
import type { Change } from './changes.ts';
import type { GatheringOptions } from './gathering.ts';
import { createGathering, envOf } from './gathering.ts';
import { checkGiven, commonChecks, offering } from './given.ts';
import { createGuard } from './guard.ts';
import type { JoiningOptions } from './joining.ts';
import { endWith, join } from './joining.ts';

export type { Change, CollectionChange, InlineResult, ItemChange } from './changes.ts';

/** Options of `connectCache`. */
export interface CacheOptions extends GatheringOptions, JoiningOptions {}

/** A cache that is told what changed. What throws here, or rejects where it is asynchronous, is reported, and is not called again for that. */
export interface CacheLike {
  /**
   * Called once for each window, with all that has changed in it: each record once, as it was said last, oldest first. What it concerns is
   * to be fetched anew; a request that is under way began before the change, and its answer may lack it.
   */
  changed(changes: readonly Change[]): void;
  /**
   * Called at once for each change, also for one with a result, before the window at whose end `changed` is told of it: what it concerns may be
   * called stale from now on, and a request that is under way now is known to be older. Optional.
   */
  markStale?(change: Change): void;
  /** What was missed is unknown: all that the server speaks of is to be fetched anew (D-SSE-9). Changes that wait for their window are in it. */
  resync(): void;
}

const aCache = offering(['changed', 'resync'], 'be { changed, resync, markStale? }');

/** What a change is about: said again, it takes the place of what was said before. */
function recordOf(change: Change): string {
  if (change.kind === 'item') {
    const { type, id, level } = change;
    return JSON.stringify([type, id === null ? null : idKey(id), level]);
  }
  const { name, params, mode } = change;
  return JSON.stringify([name, params === null ? null : paramsKey(params), mode, 'collection']);
}

/**
 * Tells a cache of any kind what the directives that a data layer hears have changed. Call it before `dl.init`, so that nothing is missed
 * between the first request of that cache and the first connection. Returns what ends it. The data layer needs no types and no collections.
 * Throws a `TypeError` that names a wrong argument or option.
 *
 * ```ts
 * import { createDataLayer } from '@edict/core';
 * import { connectCache } from '@edict/core/adapters/cache';
 *
 * const tickets = new Map<string, string>();
 * const dl = createDataLayer();
 * connectCache(dl, {
 *   changed(changes) {
 *     for (const change of changes) {
 *       if (change.kind !== 'item' || change.type !== 'ticket') continue;
 *       if (change.id === null) tickets.clear(); // Every ticket.
 *       else tickets.delete(String(change.id));
 *     }
 *   },
 *   resync: () => tickets.clear(),
 * });
 * dl.init({ sse: { url: '/api/events' } });
 * ```
 */
export function connectCache(dl: DataLayer, cache: CacheLike, options: CacheOptions = {}): () => void {
  const intake = checkGiven('connectCache', dl, options, commonChecks);
  must('connectCache: the second argument', aCache, cache);
  const env = envOf(options);
  const { run } = createGuard('connectCache', env.log);
  const pending = new Map<string, Change>();

  const gathering = createGathering(dl, env, options.delayMs, () => {
    const changes = [...pending.values()];
    pending.clear();
    run('changed', () => cache.changed(changes), undefined);
  });

  function changed(change: Change): void {
    const record = recordOf(change);
    pending.delete(record); // To stand where it was said last.
    pending.set(record, change);
    gathering.open();
    run('markStale', () => cache.markStale?.(change), undefined);
  }

  function resync(): void {
    pending.clear();
    gathering.end();
    run('resync', () => cache.resync(), undefined);
  }

  const now = env.now();
  const unlisten = join(dl, intake, { changed, resync }, options.since ?? now, now);
  return endWith(intake, () => {
    gathering.end();
    unlisten();
  });
}
