// Requests for the whole cache: after a gap, and when the page becomes visible.

import type { Bulk } from './batching.ts';
import type { Cache } from '../cache/store.ts';
import type { Slot } from '../cache/entry.ts';
import { isWatched, ordinary, refetch, slotsOf } from '../cache/entry.ts';
import type { Env } from '../platform/env.ts';
import type { Reading } from './read.ts';
import type { Registry } from '../config/registry.ts';
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
  bulk: Bulk;
  reading: Reading;
}

export function createRenewal({ env, cache, registry, bulk, reading }: Needs): Renewal {
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
