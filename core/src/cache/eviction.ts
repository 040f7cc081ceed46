// Eviction (document §2.8, D-MEM-1, D-MEM-2). The timer runs only while there are unwatched entries. So a page
// that shows its whole cache has no timer, and a test can run all timers to their end. Outside a browser, the
// timer does not start before `init`, because it would keep the data layer of a server renderer in memory. Until
// then, creating an entry also evicts old ones.

import type { Stored } from './store.ts';
import { isBusy, isWatched, type Def } from './entry.ts';
import { unref } from '../platform/unref.ts';

export interface Sweep {
  /** Starts the timer, because an entry was created or is not watched anymore. */
  arm: () => void;
  /** Restarts the timer, because `init` ran or the interval may have changed. */
  rearm: () => void;
}

/** `hasTimer` survives a reset. It is true if there is a page, or if `init` or `configureMemory` has run. */
type Needs = Stored & { readonly sweeping: { hasTimer: boolean } };

export function createSweep({ env, lifecycle, cache, registry, settings, sweeping }: Needs): Sweep {
  let timer: unknown = null;
  let ranAt = env.now();

  /**
   * Evicts the entries that were not used within the TTL. Then evicts the least recently used ones above the
   * limit.
   */
  function sweep({ kind, name, entries }: Def): void {
    const { memory } = settings();
    const [ttlMs, max] =
      kind === 'item'
        ? [memory.itemEntryTtlMs, memory.maxItemsPerType]
        : [memory.collectionEntryTtlMs, memory.maxCollectionRefsPerCollection];
    for (const entry of [...entries.values()].sort((a, b) => a.usedAt - b.usedAt)) {
      if (isWatched(entry) || entry.slots.some(isBusy)) continue; // A listener of an earlier eviction may have read it.
      const isOld = env.now() - entry.usedAt >= ttlMs;
      if (!isOld && (entries.size <= max || cache.hydrating.has(entry))) continue;
      cache.remove(entry);
      lifecycle.emit('memory:evict', {
        kind,
        name,
        key: String(entry.id),
        reason: isOld ? 'ttl' : 'capacity',
      });
    }
  }

  function run(): void {
    timer = null;
    cache.batch(() => registry.defs().forEach(sweep));
    armIfNeeded();
  }

  function arm(): void {
    const { enabled, pruneIntervalMs } = settings().memory;
    if (timer !== null || !enabled) return;
    if (sweeping.hasTimer) unref((timer = env.setTimeout(run, pruneIntervalMs)));
    else if (env.now() - ranAt >= pruneIntervalMs) {
      ranAt = env.now();
      void Promise.resolve().then(run); // Not during the read that creates an entry.
    }
  }

  /** Watched entries stay. When their last subscriber leaves, the timer starts. */
  function armIfNeeded(): void {
    if (registry.entries().some((entry) => !isWatched(entry))) arm();
  }

  return {
    arm,
    rearm() {
      sweeping.hasTimer = true;
      env.clearTimeout(timer);
      timer = null;
      armIfNeeded();
    },
  };
}
