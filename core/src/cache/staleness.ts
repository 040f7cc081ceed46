// Whether what is held may still be called fresh (D-FETCH-9).

import type { Slot } from './entry.ts';
import { fetcherOf } from '../levels/graph.ts';

/** A mark that is newer than the request behind the answer. */
export const isMarked = (slot: Slot): boolean => slot.marked > slot.answered;

/** Failed, and nothing has asked for a newer answer since: ordinary reads do not try again (document, 3). */
export const isFailed = ({ failure, marked }: Slot): boolean =>
  failure !== null && marked <= failure.requested;

/** Marked, or an answer that is too old. */
export function isSlotStale(slot: Slot, now: number): boolean {
  if (slot.stamp === null || isMarked(slot)) return true;
  return now - slot.stamp >= (fetcherOf(slot)?.stalenessMs ?? 0);
}
