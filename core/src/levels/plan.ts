// Selects the fewest levels of an entry whose payloads convert to all needed levels (D-LEVEL-5).

import type { Slot } from '../cache/entry.ts';
import { reaches, replaces } from './graph.ts';

/** A slot to request. */
export interface Planned {
  readonly slot: Slot;
  /** The slots that its payload converts to. */
  readonly dependents: readonly Slot[];
}

/** The slots whose requests return the payloads for all of the passed slots. */
export function plan(slots: readonly Slot[]): Planned[] {
  const needed = new Set(slots);
  const planned: Planned[] = [];
  for (const slot of needed) {
    const { entry, level } = slot;
    const { graph } = entry.def;
    const others = entry.slots.filter((other) => other !== slot && needed.has(other));
    if (others.some((other) => replaces(graph, other.level, level))) continue;
    planned.push({ slot, dependents: others.filter((other) => reaches(graph, level, other.level)) });
  }
  return planned;
}

/** Whether the response of a list may contain this level of an item. */
export const mayContain = ({ entry: { def: list } }: Slot, { entry: { def }, level }: Slot): boolean =>
  list.of?.def() === def && (list.of.level === level || reaches(def.graph, list.of.level, level));
