// Selects the fewest levels of an entry whose payloads convert to all needed levels (D-LEVEL-5).

import type { Entry, Slot } from '../cache/entry.ts';
import { reaches, smallestCover } from './graph.ts';

/** A slot to request. */
export interface Planned {
  readonly slot: Slot;
  /** The slots that its payload converts to. */
  readonly dependents: readonly Slot[];
}

/** The slots whose requests return the payloads for all of the passed slots. */
export function plan(slots: readonly Slot[]): Planned[] {
  const byEntry = new Map<Entry, Slot[]>();
  for (const slot of slots) {
    const others = byEntry.get(slot.entry);
    byEntry.set(slot.entry, others === undefined ? [slot] : [...others, slot]);
  }
  const planned: Planned[] = [];
  byEntry.forEach((group, { def }) => {
    const [only] = group;
    if (only !== undefined && group.length === 1) return void planned.push({ slot: only, dependents: [] });
    const cover = smallestCover(
      group.map(({ level }) => level),
      def.graph,
    );
    for (const slot of group) {
      const dependents = group.filter(({ level }) => reaches(def.graph, slot.level, level));
      if (cover.includes(slot.level)) planned.push({ slot, dependents });
    }
  });
  return planned;
}

/** Whether the response of a list may contain this level of an item. */
export const mayContain = ({ entry: { def: list } }: Slot, { entry: { def }, level }: Slot): boolean =>
  list.of?.def() === def && (list.of.level === level || reaches(def.graph, list.of.level, level));
