// Requests for the whole cache: after a gap, and when the page becomes visible.

import type { Slot } from '../cache/entry.ts';
import { isWatched, ordinary, refetch } from '../cache/entry.ts';
import type { Requesting } from './batching.ts';
import type { Read } from './read.ts';
import { isSlotStale } from '../cache/staleness.ts';

export interface RefetchAll {
  /** Marks every entry stale, because the missed directives are unknown, and refetches the watched ones (D-SSE-9). */
  refetchAll: () => void;
  /** Reads the watched entries that are stale (D-FETCH-9). */
  readStale: () => void;
}

export function createRefetchAll({ env, cache, registry, fetching }: Requesting, read: Read): RefetchAll {
  const watchedSlots = (): Slot[] => registry.slots().filter(({ entry }) => isWatched(entry));

  return {
    refetchAll() {
      const order = cache.nextOrder();
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
