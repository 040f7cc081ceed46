// Levels and their conversion graph (D-LEVEL-2, D-LEVEL-5). Names are data: they live in Maps and Sets.

import type { Def, Fetcher, Slot } from '../cache/entry.ts';
import { call, ignore } from '../platform/callbacks.ts';
import type { LevelConversionMap } from '../types/configs.ts';

/**
 * All levels that a payload of the key also covers, transitively and without the key itself. They are in the order
 * of registration.
 */
export type LevelGraph = ReadonlyMap<string, ReadonlySet<string>>;

/** The settings of a slot's level; undefined if the level is not registered anymore. */
export const fetcherOf = ({ entry, level }: Slot): Fetcher | undefined => entry.def.fetchers.get(level);

/** Merges all conversion maps into one transitive graph (D-LEVEL-2). Names that are not registered are left out. */
export function levelGraph(levels: readonly string[], maps: readonly LevelConversionMap[]): LevelGraph {
  const steps = new Map<string, Set<string>>(levels.map((level) => [level, new Set()]));
  for (const [from, to] of maps.flatMap((map) => Object.entries(map)))
    for (const level of to) if (steps.has(level)) steps.get(from)?.add(level);
  const closure = (from: string): ReadonlySet<string> => {
    const found = new Set([from]);
    // Iterating over a Set also visits values that are added during the iteration.
    for (const level of found) steps.get(level)?.forEach((next) => found.add(next));
    found.delete(from);
    return found;
  };
  return new Map(levels.map((from) => [from, closure(from)]));
}

/** Whether a payload of the first level also covers the second. */
export const reaches = (graph: LevelGraph, from: string, to: string): boolean =>
  graph.get(from)?.has(to) === true;

/**
 * Whether a payload of the first level makes a request for the second one needless. If they convert to each other, only the one that was
 * registered first is requested (D-LEVEL-5).
 */
export const replaces = (graph: LevelGraph, from: string, to: string): boolean =>
  reaches(graph, from, to) &&
  (!reaches(graph, to, from) || [...graph.keys()].find((level) => level === from || level === to) === from);

/** Runs a check of the application. A check that throws counts as false (D-LEVEL-3). */
export const passes = (check: (data: unknown) => boolean, payload: unknown): boolean =>
  call(check, ignore, payload) === true;

/** Whether a payload that converts to a level passes the check of that level, if there is one (D-LEVEL-3). */
export function suffices(def: Def, level: string, payload: unknown): boolean {
  const check = def.fetchers.get(level)?.check ?? null;
  return check === null || passes(check, payload);
}
