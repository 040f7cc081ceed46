// The effect of a directive: the cached slots that it names, and which of them are refetched (document §4.5).

import type { Stored } from '../cache/store.ts';
import { isWatched, type Def, type Entry, type Slot } from '../cache/entry.ts';
import { fetcherOf, reaches } from '../levels/graph.ts';
import { type Leaf, namesMany } from './normalize.ts';
import { paramsFilter } from '../cache/params.ts';

export interface Effect {
  /** Stale, and refetched. */
  readonly wanted: readonly Slot[];
  /** Fresh, because of the inline result. */
  readonly covered: readonly Slot[];
  /** The order of the stale marks. */
  readonly order: number;
}

export interface Effects {
  /** The type or collection; undefined if the name, or the level, is not registered (D-DIR-3, D-DIR-4). */
  defOf: (directive: Leaf) => Def | undefined;
  /** The cached entries that the directive names. */
  entriesOf: (directive: Leaf) => Entry[];
  /**
   * Marks the affected slots stale.
   * @param covered the slots that the inline result covers. If there are none, the directive is a plain refresh
   */
  mark: (directive: Leaf, covered: readonly Slot[]) => Effect;
}

export function createEffects({ cache, registry, settings }: Stored): Effects {
  function defOf({ kind, name, level }: Leaf): Def | undefined {
    const def = (kind === 'item' ? registry.types : registry.collections).get(name);
    return level === null || def?.fetchers.has(level) === true ? def : undefined;
  }

  function entriesOf(directive: Leaf): Entry[] {
    const entries = defOf(directive)?.entries;
    if (entries && namesMany(directive)) return [...entries.values()].filter(paramsFilter(directive.params));
    const entry = entries?.get(directive.record);
    return entry === undefined ? [] : [entry];
  }

  /** `bulk.refetch: 'watched'` and the legacy `invalidate` refetch watched entries only (D-REG-3). */
  const isRefetched = (entry: Entry, { legacy }: Leaf): boolean =>
    (!legacy && settings().bulk.refetch === 'held') || isWatched(entry);

  /** The slots of an entry that a plain refresh affects. */
  function slotsNamedBy(directive: Leaf, entry: Entry, order: number): readonly Slot[] {
    const { level, legacy, result } = directive;
    if (level === null) return entry.slots;
    cache.outdate(entry, order);
    // The named level is fetched even if only other levels are cached (§4.5).
    if (!legacy && entry.slots.length > 0 && isRefetched(entry, directive)) cache.ensureSlot(entry, level);
    // A result is about the whole item. If it is not cached, all levels are refetched (D-DIR-9).
    if (result !== undefined) return entry.slots;
    const { graph } = entry.def;
    return entry.slots.filter((slot) => slot.level === level || reaches(graph, level, slot.level));
  }

  return {
    defOf,
    entriesOf,
    mark(directive, covered) {
      const wanted: Slot[] = [];
      const order = cache.nextOrder();
      for (const entry of entriesOf(directive))
        for (const slot of covered.length > 0 ? entry.slots : slotsNamedBy(directive, entry, order)) {
          if (covered.includes(slot)) continue;
          cache.markStale(slot, order);
          // A level that is not registered anymore cannot be fetched (D-DIR-4).
          if (fetcherOf(slot) && isRefetched(entry, directive)) wanted.push(slot);
        }
      return { wanted, covered, order };
    },
  };
}
