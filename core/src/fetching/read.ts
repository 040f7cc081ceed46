// One read of one slot. It is served from the cache, joins a request in flight, or starts a request.

import type { Announce } from '../events/fetchEvents.ts';
import type { Bulk } from './batching.ts';
import type { Cache } from '../cache/store.ts';
import type { Demand, Slot } from '../cache/entry.ts';
import { isBusy, jointDemand, requestThatConverts, slotsOf } from '../cache/entry.ts';
import type { Env } from '../platform/env.ts';
import type { Fetching } from './requests.ts';
import { passes } from '../levels/checks.ts';
import { isFailed, isMarked, isSlotStale } from '../cache/staleness.ts';
import { fetcherOf } from '../levels/graph.ts';

export interface Reading {
  /** @param due receives the slot, instead of its request, if it needs one */
  read: (slot: Slot, asked: Demand, due?: Slot[]) => void;
}

interface Needs {
  env: Env;
  cache: Cache;
  fetching: Fetching;
  bulk: Bulk;
  announce: Announce;
}

export function createReading({ env, cache, fetching, bulk, announce }: Needs): Reading {
  /** D-FETCH-1, D-FETCH-2, D-FETCH-5, D-DIR-5. */
  function join(slot: Slot, asked: Demand): void {
    const { wait, flight } = slot;
    if (wait !== null) {
      const joint = jointDemand(wait, asked);
      // A further reader of the same kind changes nothing.
      if (!wait.read || wait.silent !== joint.silent || wait.forced !== joint.forced)
        cache.wait(slot, { read: true, ...joint });
    }
    if (flight !== null && !asked.silent) cache.reveal(flight);
    if (wait !== null) return;
    // Neither the response in flight nor the cached data is new enough. An inline result may have replaced both.
    const isOutdated =
      (flight === null || flight.isVoid || slot.marked > flight.ordinal) && isSlotStale(slot, env.now());
    if (asked.forced || isOutdated) fetching.followUp(slot, { ...asked, needs: null });
  }

  /** D-LEVEL-4: another level's payload may have all that this level needs. */
  function derive(slot: Slot): void {
    const check = fetcherOf(slot)?.check ?? null;
    if (check === null || slot.stamp !== null) return;
    const donor = slotsOf(slot.entry)
      .filter((other) => other.stamp !== null && passes(check, other.payload))
      .sort((a, b) => b.answered - a.answered)[0];
    if (donor !== undefined) cache.adopt(slot, donor);
  }

  /** Every read of the task counts as the first one: several rows may show one item, and Strict Mode mounts twice. */
  function isFirstRead(slot: Slot): boolean {
    if (!slot.isUnread || isMarked(slot)) return false;
    void Promise.resolve().then(() => cache.setUnread(slot, false));
    return true;
  }

  /** Why the cache serves the read, or null: a request is needed. */
  function hit(slot: Slot, isStale: boolean): 'fresh' | 'failed' | 'derived' | null {
    if (isFailed(slot)) return 'failed';
    const isFirst = isFirstRead(slot); // Also a read of fresh data is the first one.
    if (!isStale || isFirst) return 'fresh';
    derive(slot);
    return isSlotStale(slot, env.now()) ? null : 'derived';
  }

  function serve(slot: Slot, asked: Demand, due?: Slot[]): void {
    cache.touch(slot.entry);
    if (isBusy(slot)) {
      join(slot, asked);
      return announce.join(slot);
    }
    if (!asked.forced) {
      const isStale = isSlotStale(slot, env.now());
      const converting = isStale && !isFailed(slot) ? requestThatConverts(slot) : null;
      if (converting !== null) {
        cache.countOn(converting, slot);
        if (!asked.silent) cache.reveal(converting);
        return announce.join(slot);
      }
      const reason = hit(slot, isStale);
      if (reason !== null) return announce.hit(slot, reason);
    }
    if (due !== undefined) due.push(slot);
    else if (fetcherOf(slot)?.bulkFetch) bulk.read(slot, asked);
    else fetching.begin([{ slot, ...asked, needs: null }]);
  }

  return {
    read(slot, asked, due) {
      cache.enter();
      try {
        serve(slot, asked, due);
      } finally {
        cache.leave();
      }
    },
  };
}
