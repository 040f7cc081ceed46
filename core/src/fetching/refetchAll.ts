// All entries at once: after a gap, and when the page is seen again.

import type { Bulk } from './batching.ts';
import type { Cache } from '../cache/store.ts';
import type { Slot } from '../cache/entry.ts';
import { isWatched, ordinary, refetch, slotsOf } from '../cache/entry.ts';
import type { Env } from '../platform/env.ts';
import type { Reading } from './read.ts';
import type { Registry } from '../config/registry.ts';
import { isSlotStale } from '../cache/staleness.ts';

export interface Renewal {
  /** What was missed is unknown, so nothing that is held counts as fresh; what is watched is fetched (D-SSE-9). */
  refetchAll: () => void;
  /** Reads what is watched and stale (D-FETCH-9). */
  readStale: () => void;
}

export function createRenewal(
  env: Env,
  cache: Cache,
  registry: Registry,
  bulk: Bulk,
  reading: Reading,
): Renewal {
  return {
    refetchAll() {
      const all = registry.entries();
      const ordinal = cache.nextOrdinal();
      cache.outdateAll(ordinal);
      cache.batch(() => {
        for (const slot of all.flatMap(slotsOf)) cache.markStale(slot, ordinal);
        bulk.request(all.filter(isWatched).flatMap(slotsOf), refetch);
      });
    },
    readStale() {
      const now = env.now();
      const stale = registry
        .entries()
        .filter(isWatched)
        .flatMap((entry) => slotsOf(entry).filter((slot) => isSlotStale(slot, now)));
      cache.batch(() => {
        const due: Slot[] = [];
        for (const slot of stale) reading.read(slot, ordinary, due);
        bulk.request(due, ordinary);
      });
    },
  };
}
