// Requests for the whole cache: after a gap, and when the page becomes visible.

import type { Cache } from '../cache/store.ts';
import type { Slot } from '../cache/entry.ts';
import { isWatched, ordinary, refetch } from '../cache/entry.ts';
import type { Env } from '../platform/env.ts';
import type { Read } from './read.ts';
import type { Registry } from '../config/registry.ts';
import type { Fetching } from './requests.ts';
import { isSlotStale } from '../cache/staleness.ts';

export interface Renewal {
  /** Marks every entry stale, because the missed directives are unknown, and refetches the watched ones (D-SSE-9). */
  refetchAll: () => void;
  /** Reads the watched entries that are stale (D-FETCH-9). */
  readStale: () => void;
}

interface Needs {
  env: Env;
  cache: Cache;
  registry: Registry;
  fetching: Fetching;
  read: Read;
}

export function createRenewal({ env, cache, registry, fetching, read }: Needs): Renewal {
  const watchedSlots = (): Slot[] => registry.slots().filter(({ entry }) => isWatched(entry));

  return {
    refetchAll() {
      const order = cache.nextOrdinal();
      cache.outdateAll(order);
      cache.batch(() => {
        for (const slot of registry.slots()) cache.markStale(slot, order);
        fetching.begin(watchedSlots(), refetch);
      });
    },
    readStale() {
      cache.batch(() => {
        const due: Slot[] = [];
        for (const slot of watchedSlots()) if (isSlotStale(slot, env.now())) read(slot, ordinary, due);
        fetching.begin(due, ordinary);
      });
    },
  };
}
