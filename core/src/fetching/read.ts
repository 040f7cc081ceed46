// Reads one slot. The read is served from the cache, joins a request in flight, or starts a request.

import type { SkipReason } from '../events/eventTypes.ts';
import type { Requesting } from './batching.ts';
import type { Entry, ReadKind, RequestKind, Slot } from '../cache/entry.ts';
import { coveringFlight, isBusy, isQueued } from '../cache/entry.ts';
import { isFailed, isMarked, isSlotStale } from '../cache/staleness.ts';
import { fetcherOf, passes } from '../levels/graph.ts';

/** Reads a level of an entry, and returns its slot. */
export type Read = (entry: Entry, level: string, asked: ReadKind) => Slot;

export function createReading({ env, cache, fetching, bulk, emitFetchEvent }: Requesting): Read {
  /**
   * Joins a request that is in flight or wanted. If that request is too old, queues another one (D-FETCH-1,
   * D-FETCH-2, D-FETCH-5, D-DIR-5).
   */
  function join(slot: Slot, asked: RequestKind): void {
    const { wanted, flight } = slot;
    if (flight !== null && !asked.silent) cache.makeVisible(flight);
    const isTooOld = asked.forced || (coveringFlight(slot) === null && isSlotStale(slot, env.now()));
    if (wanted === null && !isTooOld) return;
    fetching.want(slot, asked);
    if (asked.forced && isQueued(slot)) fetching.request([slot]);
  }

  /** Another level's payload may contain everything that this level needs (D-LEVEL-4). */
  function derive(slot: Slot): void {
    const check = fetcherOf(slot)?.check ?? null;
    if (check === null || slot.fetchedAt !== null) return;
    const donor = slot.entry.slots
      .filter((other) => other.fetchedAt !== null && passes(check, other.payload))
      .sort((a, b) => b.answeredOrder - a.answeredOrder)[0];
    if (donor !== undefined) cache.copyFrom(slot, donor);
  }

  /**
   * Every read in the task counts as the first one, because several rows may show one item, and Strict Mode mounts
   * twice.
   */
  function isFirstRead(slot: Slot): boolean {
    if (!slot.isUnread || isMarked(slot)) return false;
    void Promise.resolve().then(() => cache.setUnread(slot, false));
    return true;
  }

  /** The reason why the cache serves the read, or null if a request is needed. */
  function hit(slot: Slot): SkipReason | null {
    if (isFailed(slot)) return 'failed';
    // Also a read of fresh data is the first one.
    if (isFirstRead(slot) || !isSlotStale(slot, env.now())) return 'fresh';
    derive(slot);
    return isSlotStale(slot, env.now()) ? null : 'derived';
  }

  const skip = (slot: Slot, reason: SkipReason): void => emitFetchEvent(slot, 'fetch:skip', { reason });

  function serve(slot: Slot, asked: ReadKind): void {
    cache.touch(slot.entry);
    if (isBusy(slot)) {
      join(slot, asked);
      return skip(slot, 'in-flight');
    }
    if (!asked.forced) {
      const reason = hit(slot);
      if (reason !== null) {
        emitFetchEvent(slot, 'cache-hit', { reason });
        return skip(slot, reason);
      }
      if (coveringFlight(slot) !== null) {
        fetching.begin([slot], asked);
        return skip(slot, 'in-flight');
      }
    }
    if (fetcherOf(slot)?.bulkFetch) bulk.read(slot, asked);
    else fetching.begin([slot], asked);
  }

  return (entry, level, asked) => {
    const slot = cache.ensureSlot(entry, level);
    cache.batch(() => serve(slot, asked));
    return slot;
  };
}
