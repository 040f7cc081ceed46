// The effect of a directive: the slots that it names, those that an inline result covers, and those that are refetched (document §4.5).

import type { Cache } from '../cache/store.ts';
import type { Def, Entry, Slot } from '../cache/entry.ts';
import { isBusy, isWatched, slotsOf } from '../cache/entry.ts';
import type { InlineResults, Report } from './inlineResults.ts';
import type { Metadata } from './metadata.ts';
import type { Registry } from '../config/registry.ts';
import { isMarked } from '../cache/staleness.ts';
import { idKey } from '../cache/ids.ts';
import { fetcherOf, reaches } from '../levels/graph.ts';
import type { Leaf, NormalDirective } from './normalize.ts';
import type { Settings } from '../config/options.ts';
import { paramsFilter, paramsKey } from '../cache/params.ts';

export interface Effect {
  /** Stale from now on. */
  readonly affected: readonly Slot[];
  /** Stale, and refetched. */
  readonly wanted: readonly Slot[];
  /** Covered by the result. */
  readonly satisfied: readonly Slot[];
}

export interface Effects {
  /** Decides by the registered names what a name without a kind is (D-DIR-1); null after rejecting it. */
  named: (directive: Extract<NormalDirective, { kind: 'named' }>) => Leaf | null;
  /** Applies the inline result, and returns what is left to do. */
  of: (directive: Leaf, metadata: Metadata) => Effect;
  /** The named slots with a request in flight or queued. */
  busy: (directive: Leaf) => Slot[];
}

interface Needs {
  cache: Cache;
  registry: Registry;
  settings: () => Settings;
  results: InlineResults;
  reject: Report['reject'];
}

type ItemDirective = Extract<NormalDirective, { kind: 'item' }>;
type CollectionDirective = Extract<NormalDirective, { kind: 'collection' }>;

const none: readonly Slot[] = [];

const slotsIn = (entry: Entry | undefined): readonly Slot[] => (entry === undefined ? none : slotsOf(entry));

export const noEffect: Effect = { affected: none, wanted: none, satisfied: none };

export function createEffects({ cache, registry, settings, results, reject }: Needs): Effects {
  /** `bulk.refetch: 'watched'` and the legacy `invalidate` refetch watched entries only (D-REG-3). */
  const isRefetched = (entry: Entry, isLegacy: boolean): boolean =>
    (!isLegacy && settings().bulk.refetch === 'held') || isWatched(entry);

  /** Without the levels that are not registered any more, because nothing can fetch them (D-DIR-4). */
  const wantedOf = (slots: readonly Slot[], isLegacy: boolean): readonly Slot[] =>
    slots.filter((slot) => fetcherOf(slot) && isRefetched(slot.entry, isLegacy));

  const refreshed = (affected: readonly Slot[], isLegacy: boolean): Effect => ({
    affected,
    wanted: wantedOf(affected, isLegacy),
    satisfied: none,
  });

  /** Slots that the result does not cover are refetched, and those that another directive of the same list has marked stale. */
  function afterResult(slots: readonly Slot[], covered: readonly Slot[]): Effect {
    const rest = slots.filter((slot) => !covered.includes(slot));
    const stillStale = covered.filter(isMarked);
    if (rest.length + stillStale.length === 0) return { ...noEffect, satisfied: covered };
    return { affected: rest, wanted: wantedOf([...rest, ...stillStale], false), satisfied: covered };
  }

  /** The slots of all params sets that contain these params. */
  const slotsWith = (def: Def, params: object | null): Slot[] => {
    const matches = paramsFilter(params);
    return [...def.entries.values()].filter((entry) => matches(entry.params)).flatMap(slotsOf);
  };

  function onCollection(directive: CollectionDirective, metadata: Metadata): Effect {
    const def = registry.collections.get(directive.name);
    if (def === undefined) return noEffect;
    const { params, mode } = directive;
    const entry = def.entries.get(paramsKey(params));
    const slots = params !== null && mode === 'exact' ? slotsIn(entry) : slotsWith(def, params);
    const create = (): Entry => cache.collection(def, params);
    const covered = results.apply(directive, metadata, { def, entry, create });
    return covered === null ? refreshed(slots, directive.legacy) : afterResult(slots, covered);
  }

  function onItem(directive: ItemDirective, metadata: Metadata): Effect {
    const def = registry.types.get(directive.name);
    const { id, level, legacy } = directive;
    if (def === undefined || (level !== null && !def.fetchers.has(level))) return noEffect;
    if (id === null) {
      const slots = [...def.entries.values()].flatMap((entry) => affectedSlots(entry, level, false));
      return refreshed(slots, true);
    }
    const entry = def.entries.get(idKey(id));
    const create = (): Entry => cache.item(def, id);
    const covered = results.apply(directive, metadata, { def, entry, create });
    if (covered !== null) return afterResult(slotsOf(create()), covered);
    if (entry === undefined) return noEffect;
    const named = affectedSlots(entry, level, !legacy);
    // A result is about the whole item, so that all levels are refetched where it is not cached (D-DIR-9).
    return refreshed(directive.result === null ? named : slotsOf(entry), legacy);
  }

  /**
   * The cached levels; with `level`, that one and those that it converts to. The named level is fetched even if only others are cached (§4.5
   * refresh_item).
   */
  function affectedSlots(entry: Entry, level: string | null, mayAdd: boolean): readonly Slot[] {
    const slots = slotsOf(entry);
    if (level === null) return slots;
    cache.outdate(entry, cache.nextOrdinal());
    if (mayAdd && slots.length > 0 && isRefetched(entry, false)) cache.hold(entry, level);
    const { graph } = entry.def;
    return slotsOf(entry).filter((slot) => slot.level === level || reaches(graph, level, slot.level));
  }

  /** A registered collection first, then a type. */
  function named(directive: Extract<NormalDirective, { kind: 'named' }>): Leaf | null {
    const { kind: _, level, params, ...rest } = directive;
    if (!registry.collections.has(directive.name) && registry.types.has(directive.name)) {
      if (directive.legacy) return { kind: 'item', id: null, level, result: null, ...rest };
      reject(directive.own.raw, [
        { path: 'id', message: `"${directive.name}" is a type: a refresh of it needs an id` },
      ]);
      return null;
    }
    return { kind: 'collection', params, mode: 'exact', result: null, ...rest };
  }

  function busy(directive: Leaf): Slot[] {
    const { types, collections } = registry;
    const { entries } = (directive.kind === 'item' ? types : collections).get(directive.name) ?? {};
    const slots =
      directive.kind === 'item' && directive.id !== null
        ? slotsIn(entries?.get(idKey(directive.id)))
        : [...(entries?.values() ?? [])].flatMap(slotsOf);
    return slots.filter(isBusy);
  }

  return {
    named,
    of: (directive, metadata) =>
      directive.kind === 'item' ? onItem(directive, metadata) : onCollection(directive, metadata),
    busy,
  };
}
