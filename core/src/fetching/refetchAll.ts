// All entries at once: after a gap, and when the page is seen again.

import type { Bulk } from './batching.ts';
import type { Cache } from '../cache/store.ts';
import { isWatched, ordinary, slotsOf } from '../cache/entry.ts';
import type { Env } from '../platform/env.ts';
import { plan } from '../levels/plan.ts';
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
      cache.batch(() => {
        for (const slot of all.flatMap(slotsOf)) cache.markStale(slot, ordinal);
        bulk.request(all.filter(isWatched).flatMap(slotsOf));
      });
    },
    readStale() {
      const now = env.now();
      const stale = registry
        .entries()
        .filter(isWatched)
        .flatMap((entry) => slotsOf(entry).filter((slot) => isSlotStale(slot, now)));
      // First what converts to the others: those join it (D-LEVEL-5, D-LEVEL-6).
      const order = new Set([...plan(stale).map(({ slot }) => slot), ...stale]);
      cache.batch(() => order.forEach((slot) => reading.read(slot, ordinary)));
    },
  };
}
