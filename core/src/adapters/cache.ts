/**
 * Delivers the server's directives to any cache, such as RTK Query's or your own: coalesced, without duplicates, and without gaps. The
 * data layer handles the stream, sequence numbers, replay, audiences, sources, and idempotency. Your code decides what a change means.
 *
 * @module @edict/core/adapters/cache
 */

import { idKey } from '../cache/entry.ts';
import type { DataLayer } from '@edict/core';
import { isFunction, must } from '../config/checks.ts';
import { paramsKey } from '../cache/params.ts';
import { ignore } from '../platform/callbacks.ts';
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

/** Callbacks of a cache. If one throws or rejects, the error is reported. The change is not delivered again. */
export interface CacheLike {
  /**
   * Called once per window with all changes in it: each record once, with its latest change, oldest first. Refetch
   * the data that they concern. A request in flight began before the change, so its response may lack it.
   */
  changed(changes: readonly Change[]): void;
  /**
   * Called immediately for each change, before the window ends and `changed` is called. Mark the affected data as
   * stale. A request in flight is older than the change. Optional.
   */
  markStale?(change: Change): void;
  /**
   * Messages were missed. Refetch all data whose changes the server announces. This includes the changes that wait
   * for their window.
   */
  resync(): void;
}

const aCache = offering(['changed', 'resync'], 'be { changed, resync, markStale? }');

/** Identifies the changed record. A later change of it replaces the earlier one. */
function recordOf(change: Change): string {
  if (change.kind === 'item') {
    const { type, id, level } = change;
    return JSON.stringify([type, id === null ? null : idKey(id), level]);
  }
  const { name, params, mode } = change;
  return JSON.stringify([name, params === null ? null : paramsKey(params), mode, 'collection']);
}

/**
 * Connects a cache of any kind to a data layer, and returns the function that disconnects it. Call it before `dl.init`, so that no change is
 * missed between the first request of the cache and the first connection. The data layer needs no types and no collections.
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
  const internals = checkGiven('connectCache', dl, options, commonChecks);
  must('connectCache: the second argument', aCache, cache);
  must('connectCache: markStale', isFunction, cache.markStale ?? ignore);
  const env = envOf(options, internals);
  const { run } = createGuard('connectCache', env.log);
  const pending = new Map<string, Change>();

  const gathering = createGathering(dl, env, options.delayMs, () => {
    const changes = [...pending.values()];
    pending.clear();
    run('changed', () => cache.changed(changes), undefined);
  });

  function changed(change: Change): void {
    const record = recordOf(change);
    pending.delete(record); // Moves it to the end.
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
  const unlisten = join(dl, internals, { changed, resync }, now - (options.since ?? now));
  return endWith(internals, () => {
    gathering.end();
    unlisten();
  });
}
