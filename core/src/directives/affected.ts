// The effect of a directive: the slots that it names, those that an inline result covers, and those that are refetched (document §4.5).

import type { Cache } from '../cache/store.ts';
import type { Def, Entry, Slot } from '../cache/entry.ts';
import { isWatched, slotsOf } from '../cache/entry.ts';
import type { Registry } from '../config/registry.ts';
import { isMarked } from '../cache/staleness.ts';
import { fetcherOf, reaches } from '../levels/graph.ts';
import type { Leaf } from './normalize.ts';
import type { Settings } from '../config/options.ts';
import { paramsFilter } from '../cache/params.ts';
import { namesMany, resultKeyOf } from './recent.ts';

export interface Effect {
  /** Stale from now on. */
  readonly affected: readonly Slot[];
  /** Stale, and refetched. */
  readonly wanted: readonly Slot[];
  /** Covered by the result. */
  readonly satisfied: readonly Slot[];
}

export interface Effects {
  /** The type or collection; undefined if the name, or the level, is not registered (D-DIR-3, D-DIR-4). */
  defOf: (directive: Leaf) => Def | undefined;
  /** The cached slots of everything that the directive names. */
  namedBy: (directive: Leaf) => Slot[];
  /** @param satisfied the slots that the result covers; none: the directive is a plain refresh */
  of: (directive: Leaf, satisfied: readonly Slot[]) => Effect;
}

interface Needs {
  cache: Cache;
  registry: Registry;
  settings: () => Settings;
}

export function createEffects({ cache, registry, settings }: Needs): Effects {
  function defOf({ kind, name, level }: Leaf): Def | undefined {
    const def = (kind === 'item' ? registry.types : registry.collections).get(name);
    return level === null || def?.fetchers.has(level) === true ? def : undefined;
  }

  function entriesOf(directive: Leaf): Entry[] {
    const { entries } = defOf(directive) ?? {};
    if (entries === undefined) return [];
    if (namesMany(directive)) {
      const matches = paramsFilter(directive.params);
      return [...entries.values()].filter(({ params }) => matches(params));
    }
    const entry = entries.get(resultKeyOf(directive));
    return entry === undefined ? [] : [entry];
  }

  /** `bulk.refetch: 'watched'` and the legacy `invalidate` refetch watched entries only (D-REG-3). */
  const isRefetched = (entry: Entry, isLegacy: boolean): boolean =>
    (!isLegacy && settings().bulk.refetch === 'held') || isWatched(entry);

  /** The named level, and the cached ones that it converts to. The named level is fetched even if only others are cached (§4.5). */
  function levelsFrom(entry: Entry, level: string, isLegacy: boolean): Slot[] {
    cache.outdate(entry, cache.nextOrdinal());
    if (!isLegacy && slotsOf(entry).length > 0 && isRefetched(entry, false)) cache.hold(entry, level);
    const { graph } = entry.def;
    return slotsOf(entry).filter((slot) => slot.level === level || reaches(graph, level, slot.level));
  }

  return {
    defOf,
    namedBy: (directive) => entriesOf(directive).flatMap(slotsOf),
    of(directive, satisfied) {
      const { level, legacy, result } = directive;
      const affected = entriesOf(directive).flatMap((entry) => {
        const ofLevel = level === null || satisfied.length > 0 ? null : levelsFrom(entry, level, legacy);
        // A result is about the whole item, so that all levels are refetched where it is not cached (D-DIR-9).
        const slots = ofLevel !== null && result === null ? ofLevel : slotsOf(entry);
        return slots.filter((slot) => !satisfied.includes(slot));
      });
      // A covered slot may be stale again: another directive of the same response has named it. A level that is not registered any more
      // cannot be fetched (D-DIR-4).
      const wanted = [...affected, ...satisfied.filter(isMarked)].filter(
        (slot) => fetcherOf(slot) && isRefetched(slot.entry, legacy),
      );
      return { affected, wanted, satisfied };
    },
  };
}
