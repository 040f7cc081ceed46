// Selects the fewest levels of an entry whose payloads convert to all needed levels (D-LEVEL-5).

import type { Slot } from '../cache/entry.ts';
import { reaches, replaces } from './graph.ts';

/** The slots whose requests return the payloads for all of the passed slots. */
export function plan(slots: readonly Slot[]): Slot[] {
  const needed = new Set(slots);
  return [...needed].filter(
    ({ entry, level }) =>
      !entry.slots.some((other) => needed.has(other) && replaces(entry.def.graph, other.level, level)),
  );
}

/** Whether the response of a list may contain this level of an item. */
export const mayContain = ({ entry: { def: list } }: Slot, { entry: { def }, level }: Slot): boolean =>
  list.of?.def() === def && (list.of.level === level || reaches(def.graph, list.of.level, level));
