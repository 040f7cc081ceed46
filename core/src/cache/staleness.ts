// Whether cached data is fresh (D-FETCH-9).

import type { Entry, Slot } from './entry.ts';
import { fetcherOf } from '../levels/graph.ts';

/** Whether a stale mark is newer than the request that returned the cached response. */
export const isMarked = (slot: Slot): boolean => slot.staleOrder > slot.answeredOrder;

/**
 * Whether the last request failed and no directive or resync has marked the slot since. Ordinary reads do not
 * retry such a slot (document, 3).
 */
export const isFailed = ({ failure, staleOrder }: Slot): boolean =>
  failure !== null && staleOrder <= failure.requestedOrder;

/** Whether the slot was never fetched, is marked stale, or is older than `stalenessMs`. */
export function isSlotStale(slot: Slot, now: number): boolean {
  if (slot.fetchedAt === null || isMarked(slot)) return true;
  return now - slot.fetchedAt >= (fetcherOf(slot)?.stalenessMs ?? 0);
}

/** Whether the slot is wanted and has no response yet that is new enough. */
export function isUnanswered(slot: Slot, now: number): boolean {
  const { wanted, answeredOrder } = slot;
  if (wanted === null || wanted.forced) return wanted !== null;
  return isSlotStale(slot, now) && (answeredOrder < wanted.since || isMarked(slot));
}

/** `meta.isStale` of the reference. */
export function isEntryStale({ slots }: Entry, now: number): boolean {
  for (const slot of slots) if (isSlotStale(slot, now)) return true;
  return slots.length === 0;
}
