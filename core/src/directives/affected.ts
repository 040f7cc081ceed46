// What a directive that is for this client does to the cache: which slots it is about, what an inline result covers, what is
// left to be fetched (document §4.5, D-DIR-1, D-DIR-3, D-DIR-8, D-DIR-9).

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

/** What is stale now, what of it is to be fetched, and what an inline result covers. */
export interface Effect {
  readonly affected: readonly Slot[];
  readonly wanted: readonly Slot[];
  readonly satisfied: readonly Slot[];
}

export interface Effects {
  /** What a name without a kind is, by what is registered (D-DIR-1); null after rejecting what cannot be. */
  named: (directive: Extract<NormalDirective, { kind: 'named' }>) => Leaf | null;
  /** Applies an inline result and says what is left. */
  of: (directive: Leaf, metadata: Metadata) => Effect;
  /** What a directive that was applied before is about, so that whoever waits for this copy waits for that. */
  underWay: (directive: NormalDirective) => Slot[];
  /** What a copy of a directive that was applied before shows to be old (D-DIR-9). */
  overtaken: (copy: NormalDirective, metadata: Metadata, isOwn: boolean) => Effect;
}

const none: readonly Slot[] = [];

const slotsIn = (entry: Entry | undefined): readonly Slot[] => (entry === undefined ? none : slotsOf(entry));

export const noEffect: Effect = { affected: [], wanted: [], satisfied: [] };

export function createEffects(
  cache: Cache,
  registry: Registry,
  settings: () => Settings,
  results: InlineResults,
  reject: Report['reject'],
): Effects {
  /** D-REG-3: `watched` and the legacy `invalidate` refetch only what is on screen. */
  const isRefetched = (entry: Entry, isLegacy: boolean): boolean =>
    (!isLegacy && settings().bulk.refetch === 'held') || isWatched(entry);

  /** What will be refetched: nobody can fetch a level that is registered no more (D-DIR-4). */
  const wantedOf = (slots: readonly Slot[], isLegacy: boolean): readonly Slot[] =>
    slots.filter((slot) => fetcherOf(slot) && isRefetched(slot.entry, isLegacy));

  const refreshed = (affected: readonly Slot[], isLegacy: boolean): Effect => ({
    affected,
    wanted: wantedOf(affected, isLegacy),
    satisfied: none,
  });

  /** What an inline result leaves to be fetched: what it does not cover, and what a later mark keeps stale. */
  function afterTaken(slots: readonly Slot[], covered: readonly Slot[]): Effect {
    const rest = slots.filter((slot) => !covered.includes(slot));
    const stillStale = covered.filter(isMarked);
    // A stream of results is mostly this: nothing is left.
    if (rest.length + stillStale.length === 0) return { affected: none, wanted: none, satisfied: covered };
    return { affected: rest, wanted: wantedOf([...rest, ...stillStale], false), satisfied: covered };
  }

  /** Those of all params sets that contain the wanted params. */
  function slotsWith(def: Def, wanted: object | null): Slot[] {
    const slots: Slot[] = [];
    const isMeant = paramsFilter(wanted);
    for (const { first, params } of def.entries.values()) {
      if (!isMeant(params)) continue;
      for (let slot = first; slot !== null; slot = slot.after) slots.push(slot);
    }
    return slots;
  }

  function onCollection(
    directive: Extract<NormalDirective, { kind: 'collection' }>,
    metadata: Metadata,
  ): Effect {
    const def = registry.collections.get(directive.name);
    if (def === undefined) return noEffect;
    const { params, mode } = directive;
    const exact = def.entries.get(paramsKey(params));
    const slots = params !== null && mode === 'exact' ? slotsIn(exact) : slotsWith(def, params);
    const hold = (): Entry => cache.collection(def, params);
    const covered = results.take(directive, metadata, def, exact, hold);
    return covered === null ? refreshed(slots, directive.legacy) : afterTaken(slots, covered);
  }

  function onItem(directive: Extract<NormalDirective, { kind: 'item' }>, metadata: Metadata): Effect {
    const def = registry.types.get(directive.name);
    const { id, level } = directive;
    if (def === undefined || (level !== null && !def.fetchers.has(level))) return noEffect;
    if (id === null) {
      const slots = [...def.entries.values()].flatMap((entry) => affectedSlots(entry, level, false));
      return refreshed(slots, true);
    }
    const entry = def.entries.get(idKey(id));
    const hold = (): Entry => cache.item(def, id);
    const covered = results.take(directive, metadata, def, entry, hold);
    if (covered !== null) return afterTaken(slotsOf(hold()), covered);
    if (entry === undefined) return noEffect;
    const named = affectedSlots(entry, level, !directive.legacy);
    // A result speaks of the whole item: what it does not cover is refetched (D-DIR-8), also when it is not applied.
    const slots = directive.result === null ? named : slotsOf(entry);
    return refreshed(slots, directive.legacy);
  }

  /** The held levels, or the named one and what converts from it; it is fetched even when only others are held (§4.5 refresh_item). */
  function affectedSlots(entry: Entry, level: string | null, mayHold: boolean): readonly Slot[] {
    const slots = slotsOf(entry);
    if (level === null) return slots;
    cache.outdate(entry, cache.nextOrdinal());
    if (mayHold && slots.length > 0 && isRefetched(entry, false)) cache.hold(entry, level);
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

  /** The slots that a directive names, of the levels and params that it may mean. */
  function about(directive: NormalDirective): readonly Slot[] {
    if (directive.kind === 'wrapper') return directive.targets.flatMap(about);
    if (directive.kind === 'reload') return none;
    const { types, collections } = registry;
    const { entries } = (directive.kind === 'item' ? types : collections).get(directive.name) ?? {};
    if (directive.kind === 'item' && directive.id !== null) return slotsIn(entries?.get(idKey(directive.id)));
    return [...(entries?.values() ?? [])].flatMap(slotsOf);
  }

  const overtaken = (copy: NormalDirective, metadata: Metadata, isOwn: boolean): Effect =>
    refreshed(
      about(copy).filter((slot) => results.isOvertaken(slot, metadata, isOwn)),
      false,
    );

  return {
    named,
    of: (directive, metadata) =>
      directive.kind === 'item' ? onItem(directive, metadata) : onCollection(directive, metadata),
    underWay: (directive) => about(directive).filter(isBusy),
    overtaken,
  };
}
