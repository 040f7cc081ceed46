// Selects the fewest levels of an entry whose payloads convert to all needed levels (D-LEVEL-5).

import type { Entry, Slot } from '../cache/entry.ts';
import { isOnly } from '../cache/entry.ts';
import { reaches, smallestCover } from './graph.ts';

/** A slot to request. */
export interface Planned {
  readonly slot: Slot;
  /** The slots that its payload converts to. */
  readonly needs: Slot[] | null;
}

const alone = (slot: Slot): Planned => ({ slot, needs: null });

/** The slots whose requests return the payloads of all these slots. */
export function plan(slots: readonly Slot[]): Planned[] {
  // An entry with one slot has nothing to choose from, and most have one.
  if (slots.every(isOnly)) return slots.map(alone);
  const byEntry = new Map<Entry, Slot[]>();
  for (const slot of slots) {
    const group = byEntry.get(slot.entry);
    if (group === undefined) byEntry.set(slot.entry, [slot]);
    else group.push(slot);
  }
  return [...byEntry].flatMap(([entry, group]) => planOne(entry, group));
}

function planOne({ def }: Entry, group: readonly Slot[]): Planned[] {
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
      return { slot, needs: needs.length === 0 ? null : needs };
    });
}
