// Selects the fewest levels of an entry whose payloads convert to all needed levels (D-LEVEL-5).

import type { Slot } from '../cache/entry.ts';
import { reaches, smallestCover } from './graph.ts';

/** A slot to request. */
export interface Planned {
  readonly slot: Slot;
  /** The slots that its payload converts to. */
  readonly dependents: readonly Slot[];
}

/** The slots whose requests return the payloads of all these slots. */
export function plan(slots: readonly Slot[]): Planned[] {
  const byEntry = new Map(slots.map(({ entry }) => [entry, [] as Slot[]]));
  for (const slot of slots) byEntry.get(slot.entry)?.push(slot);
  return [...byEntry].flatMap(([{ def }, group]) => {
    const cover = smallestCover(
      group.map(({ level }) => level),
      def.graph,
    );
    return group
      .filter(({ level }) => cover.includes(level))
      .map((slot) => ({
        slot,
        dependents: group.filter(({ level }) => reaches(def.graph, slot.level, level)),
      }));
  });
}

/** Whether the response of a list may contain this level of an item. */
export const mayContain = ({ entry: { def: list } }: Slot, { entry: { def }, level }: Slot): boolean =>
  list.of?.def() === def && (list.of.level === level || reaches(def.graph, list.of.level, level));
