// Which of an entry's levels are requested: the fewest whose payloads convert to all that is wanted (D-LEVEL-5).

import type { Entry, Slot } from './entries.ts';
import { isOnly } from './entries.ts';
import { reaches, smallestCover } from './rules/levels.ts';

/** What the caller makes of a slot to request, and of those that its payload will convert to. */
type Make<T> = (slot: Slot, needs: Slot[] | null) => T;

/** The slots to request, each with those that its payload will convert to (D-LEVEL-5). */
export function plan<T>(slots: readonly Slot[], make: Make<T>): T[] {
  // An entry with one slot has nothing to choose from, and most have one.
  if (slots.every(isOnly)) return slots.map((slot) => make(slot, null));
  const byEntry = new Map<Entry, Slot[]>();
  for (const slot of slots) {
    const group = byEntry.get(slot.entry);
    if (group === undefined) byEntry.set(slot.entry, [slot]);
    else group.push(slot);
  }
  return [...byEntry].flatMap(([entry, group]) => planOne(entry, group, make));
}

function planOne<T>({ def }: Entry, group: readonly Slot[], make: Make<T>): T[] {
  if (group.length === 1) return group.map((slot) => make(slot, null));
  const cover = new Set(
    smallestCover(
      group.map(({ level }) => level),
      def.graph,
    ),
  );
  return group
    .filter(({ level }) => cover.has(level))
    .map((slot) => {
      const needs = group.filter(({ level }) => reaches(def.graph, slot.level, level));
      return make(slot, needs.length === 0 ? null : needs);
    });
}
