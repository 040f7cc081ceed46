// Eviction (document §2.8, D-MEM-1, D-MEM-2). The timer exists only while there are unwatched entries, so that a page that shows its whole
// cache is never woken, and a test may run all timers. Without a page there is no timer before `init`, because it would keep the data layer of
// a server renderer in memory. Until then, the creation of further entries evicts the old ones.

import type { Cache } from './store.ts';
import type { Def, Entry } from './entry.ts';
import { hasSlot, isBusy, isWatched } from './entry.ts';
import type { Env } from '../platform/env.ts';
import type { Lifecycle } from '../events/bus.ts';
import type { Registry } from '../config/registry.ts';
import { evictions } from './evictions.ts';
import type { Settings } from '../config/options.ts';
import { unref } from '../platform/unref.ts';

export interface Sweep {
  /** Starts the timer: an entry was created, or is not watched any more. */
  arm: () => void;
  /** Starts the timer again, because `init` ran or the interval may have changed. */
  rearm: () => void;
  dispose: () => void;
}

interface Needs {
  env: Env;
  lifecycle: Lifecycle;
  cache: Cache;
  registry: Registry;
  settings: () => Settings;
}

export function createSweep({ env, lifecycle, cache, registry, settings }: Needs): Sweep {
  let timer: unknown = null;
  /** Null: not yet. False: disposed. */
  let mayRun: boolean | null = env.page !== null || null;
  let ranAt = env.now();

  const mayGo = (entry: Entry): boolean => !isWatched(entry) && !hasSlot(entry, isBusy);

  /** Watched entries stay. They start the timer when their last subscriber leaves. */
  const hasUnwatched = (): boolean => registry.entries().some((entry) => !isWatched(entry));

  function sweepOne(def: Def, ttlMs: number, max: number): void {
    const { isHydrating } = cache;
    const gone = evictions([...def.entries.values()], { mayGo, isHydrating, now: env.now(), ttlMs, max });
    for (const { entry } of gone) cache.remove(entry); // All of them, before a listener reads one again.
    for (const { entry, reason } of gone) {
      cache.noteChange();
      lifecycle.emit('memory:evict', { kind: def.kind, name: def.name, key: String(entry.id), reason });
    }
  }

  function run(): void {
    if (mayRun === false) return;
    timer = null;
    ranAt = env.now();
    const { memory } = settings();
    cache.batch(() => {
      for (const def of registry.defs()) {
        if (def.kind === 'item') sweepOne(def, memory.itemEntryTtlMs, memory.maxItemsPerType);
        else sweepOne(def, memory.collectionEntryTtlMs, memory.maxCollectionRefsPerCollection);
      }
    });
    if (hasUnwatched()) arm();
  }

  function arm(): void {
    const { enabled, pruneIntervalMs } = settings().memory;
    if (timer !== null || mayRun === false || !enabled) return;
    if (mayRun) unref((timer = env.setTimeout(run, pruneIntervalMs)));
    else if (env.now() - ranAt >= pruneIntervalMs) {
      ranAt = env.now();
      void Promise.resolve().then(run); // Not during the read that creates an entry.
    }
  }

  function stop(): void {
    if (timer !== null) env.clearTimeout(timer);
    timer = null;
  }

  return {
    arm,
    rearm() {
      mayRun ??= true;
      stop();
      if (hasUnwatched()) arm();
    },
    dispose() {
      mayRun = false;
      stop();
    },
  };
}
