// Requests for the whole cache: after a gap, and when the page becomes visible.

import { isBusy, isWatched, ordinary, refetch, type Slot } from '../cache/entry.ts';
import type { Requesting } from './batching.ts';
import { isFailed, isSlotStale } from '../cache/staleness.ts';

export interface RefetchAll {
  /** Marks every entry stale, because the missed directives are unknown, and refetches the watched ones (D-SSE-9). */
  refetchAll: () => void;
  /** Requests the watched entries that are stale, unless they are being requested or have failed (D-FETCH-9). */
  refetchStale: () => void;
}

export function createRefetchAll({ env, cache, registry, fetching }: Requesting): RefetchAll {
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
    refetchStale() {
      const isDue = (slot: Slot): boolean => isSlotStale(slot, env.now()) && !isBusy(slot) && !isFailed(slot);
      fetching.begin(watchedSlots().filter(isDue), ordinary);
    },
  };
}
