// What a directive that is for this client does to the cache: which slots it is about, what an inline result covers, what is
// left to be fetched (document §4.5, D-DIR-1, D-DIR-3, D-DIR-8, D-DIR-9).

import type { Cache } from './cache.ts';
import type { Def, Entry, Slot } from './entries.ts';
import { hasSlot, isBusy, isWatched, slotsOf } from './entries.ts';
import type { Env } from './env.ts';
import type { Heard } from './heard.ts';
import type { LifecycleEvents } from './lifecycleEvents.ts';
import type { Newest } from './newest.ts';
import type { Registry } from './registry.ts';
import { accept, passes, suffices, validate } from './rules/answers.ts';
import { isMarked } from './rules/freshness.ts';
import { idKey } from './rules/ids.ts';
import { fetcherOf, reaches } from './rules/levels.ts';
import type { NormalDirective } from './rules/normalize.ts';
import type { Settings } from './rules/options.ts';
import { paramsFilter, paramsKey } from './rules/params.ts';
import type { Place } from './rules/sequence.ts';
import { isNoEarlier } from './rules/sequence.ts';

/** A directive's metadata, with that of its wrapper and its envelope filled in. */
export interface Facts extends Place {
  readonly source: string | null;
  /** On the pull path, the ordinal of the mutation: its results count as requested then (D-FETCH-3). */
  readonly requested?: number | undefined;
  /** It came in the answer of a mutation of this client, and its place among the others is known, by its request or by its echo. */
  readonly isPulled?: boolean;
  /** What another copy of the directive has as well: its idempotency key, or that of its wrapper. */
  readonly copyOf?: string | null;
}

/** A directive about entries, once it is known what it names. */
export type Leaf = Extract<NormalDirective, { kind: 'item' } | { kind: 'collection' }>;

/** An inline result that a slot holds, and its place in the order. */
interface Result {
  readonly ordinal: number;
  /** Of the copy that was applied. */
  readonly own: Facts;
  /** Where it stands in each audience: each has a copy of its own, with a number of its own. */
  readonly places: Place[];
}

/** What is stale now, what of it is to be fetched, and what an inline result covers. */
export interface Effect {
  readonly affected: readonly Slot[];
  readonly wanted: readonly Slot[];
  readonly satisfied: readonly Slot[];
}

/** How directives that are not applied, or not as they came, are reported. */
export interface Report {
  skip: (directive: NormalDirective, reason: LifecycleEvents['directive:skipped']['reason']) => void;
  reject: (directive: unknown, issues: LifecycleEvents['directive:rejected']['issues']) => void;
}

export interface Effects {
  /** What a name without a kind is, by what is registered (D-DIR-1); null after rejecting what cannot be. */
  named: (directive: Extract<NormalDirective, { kind: 'named' }>) => Leaf | null;
  /** Applies an inline result and says what is left. */
  of: (directive: Leaf, facts: Facts) => Effect;
  /** What a directive that was applied before is about, so that whoever waits for this copy waits for that. */
  underWay: (directive: NormalDirective) => Slot[];
  /**
   * What a copy of a directive that was applied before shows to be old. Of an own echo: the stream brought a result after the answer of
   * the mutation, and now the mutation itself, so the result is from before it, unless its number says otherwise: it may have come with
   * that very mutation. Without a number on the answer nothing told that sooner (D-DIR-9). Of another own mutation, and of what another
   * audience has brought: a result that has a lower number; also the result of the directive itself, where this copy's audience has said more.
   */
  overtaken: (copy: NormalDirective, facts: Facts, isOwn: boolean) => Effect;
}

const none: readonly Slot[] = [];

/** Whether what the schema of the main level has made of a result is the payload of another level, too. */
function isAlsoOf(def: Def, other: string, main: string, data: unknown): boolean {
  const schemaOf = (level: string): unknown => def.fetchers.get(level)?.schema ?? null;
  const schema = schemaOf(other);
  return (schema === null || schema === schemaOf(main)) && suffices(def, other, data);
}

const slotsIn = (entry: Entry | undefined): readonly Slot[] => (entry === undefined ? none : slotsOf(entry));

export const noEffect: Effect = { affected: [], wanted: [], satisfied: [] };

export function createEffects(
  env: Env,
  cache: Cache,
  registry: Registry,
  settings: () => Settings,
  newest: Newest,
  heard: Heard,
  noteRequestAt: (at: number) => void,
  { skip, reject }: Report,
): Effects {
  /** The last result of each slot. */
  const results = new WeakMap<Slot, Result>();
  const isOutdated = ({ audience, seq }: Facts): boolean => newest.isPassed(audience, seq);

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

  /** A result that may be held for the slot's level; `undefined` after saying what is wrong with it (D-DIR-8). */
  function inline(directive: Leaf & { result: { value: unknown } | null }, def: Def, level: string): unknown {
    try {
      const valid = validate(def, def.fetchers.get(level)?.schema ?? null, directive.result?.value);
      if (valid instanceof Promise) {
        void valid.catch(() => undefined);
        throw new TypeError('an inline result needs a schema that answers at once');
      }
      return accept(def, valid);
    } catch (error) {
      reject(directive.own.raw, [
        { path: 'result', message: error instanceof Error ? error.message : String(error) },
      ]);
      return undefined;
    }
  }

  /** Whether the entry holds an answer that was requested after this result (D-FETCH-3). */
  const isOlder = (
    entry: Entry | undefined,
    levels: readonly string[],
    { requested = Infinity }: Facts,
  ): boolean =>
    entry !== undefined && hasSlot(entry, (slot) => slot.answered > requested && levels.includes(slot.level));

  /**
   * The place of a result in the order. The server may have read the answer of a request that began after the mutation before the change.
   * So the result stands above every such request whose answer would overwrite a covered level by conversion (D-FETCH-3); the requests for
   * covered levels themselves are voided.
   */
  function placeOf(
    { def, first }: Entry,
    levels: readonly string[],
    payload: unknown,
    requested: number,
  ): number {
    const isCovered = (level: string): boolean =>
      levels.includes(level) ||
      (levels.some((from) => reaches(def.graph, from, level)) && suffices(def, level, payload));
    let ordinal = requested;
    for (let slot = first; slot !== null; slot = slot.after) {
      const { flight, level } = slot;
      if (flight === null || flight.ordinal < requested || isCovered(level)) continue;
      if ([...(def.graph.get(level) ?? [])].some(isCovered))
        // A place of its own for each mutation, in their order.
        ordinal = Math.max(ordinal, flight.ordinal + requested / (flight.ordinal + 1));
    }
    return ordinal;
  }

  function store(
    entry: Entry,
    levels: readonly string[],
    payload: unknown,
    directive: Leaf,
    facts: Facts,
  ): readonly Slot[] {
    const isDoubtful = heard.hasOther(directive, facts.audience);
    const requested = facts.requested ?? cache.tick();
    const ordinal = placeOf(entry, levels, payload, requested);
    const stamp = env.now();
    noteRequestAt(stamp); // What is held without a request is to be followed as well (D-SSE-8).
    for (const level of levels) cache.store(cache.hold(entry, level), payload, ordinal, stamp);
    const covered: Slot[] = [];
    for (const slot of slotsOf(entry)) {
      if (slot.answered !== ordinal) continue;
      covered.push(slot);
      // Its place may be above a mark that was set after the mutation was sent; the mark still holds.
      if (slot.marked > requested && !isMarked(slot)) cache.markStale(slot, cache.tick());
      cache.voidFlight(slot);
      results.set(slot, { ordinal, own: facts, places: [facts] });
      if (isDoubtful) cache.markStale(slot, cache.tick());
    }
    return covered;
  }

  /** What an inline result leaves to be fetched: what it does not cover, and what a later mark keeps stale. */
  function afterStore(slots: readonly Slot[], covered: readonly Slot[]): Effect {
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

  function onCollection(directive: Extract<NormalDirective, { kind: 'collection' }>, facts: Facts): Effect {
    const def = registry.collections.get(directive.name);
    if (def === undefined) return noEffect;
    const { params, mode } = directive;
    const exact = def.entries.get(paramsKey(params));
    const slots = params !== null && mode === 'exact' ? slotsIn(exact) : slotsWith(def, params);
    const data = directive.result === null ? undefined : inline(directive, def, 'default');
    if (data !== undefined) {
      if (isOutdated(facts) || isOlder(exact, ['default'], facts)) skip(directive, 'outdated');
      else
        return afterStore(slots, store(cache.collection(def, params), ['default'], data, directive, facts));
    }
    return refreshed(slots, directive.legacy);
  }

  /** D-DIR-8: which levels' payload an inline result is. */
  function levelsOf(result: unknown, level: string | null, entry: Entry | undefined): string[] {
    if (level !== null) return [level];
    const slots = slotsIn(entry).filter(fetcherOf);
    const checkOf = (slot: Slot): ((data: unknown) => boolean) | null => fetcherOf(slot)?.check ?? null;
    const only = slots[0];
    if (only !== undefined && slots.length === 1 && checkOf(only) === null) return [only.level];
    const accepting = slots.filter((slot) => {
      const check = checkOf(slot);
      return check !== null && passes(check, result);
    });
    return [...new Set(['default', ...accepting.map((slot) => slot.level)])];
  }

  function onItem(directive: Extract<NormalDirective, { kind: 'item' }>, facts: Facts): Effect {
    const def = registry.types.get(directive.name);
    const { id, level } = directive;
    if (def === undefined || (level !== null && !def.fetchers.has(level))) return noEffect;
    if (id === null) {
      const slots = [...def.entries.values()].flatMap((entry) => affectedSlots(entry, level, false));
      return refreshed(slots, true);
    }
    const entry = def.entries.get(idKey(id));
    if (directive.result !== null) {
      const [main = 'default', ...others] = levelsOf(directive.result.value, level, entry);
      const data = inline(directive, def, main);
      if (data !== undefined) {
        const levels = [main, ...others.filter((other) => isAlsoOf(def, other, main, data))];
        if (isOutdated(facts) || isOlder(entry, levels, facts)) skip(directive, 'outdated');
        else {
          const held = cache.item(def, id);
          return afterStore(slotsOf(held), store(held, levels, data, directive, facts));
        }
      }
    }
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
    cache.outdate(entry);
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

  function overtaken(copy: NormalDirective, facts: Facts, isOwn: boolean): Effect {
    const affected = about(copy).filter((slot) => {
      const result = results.get(slot);
      if (result?.ordinal !== slot.answered || isMarked(slot)) return false;
      const { own, places } = result;
      if (places.some((place) => isNoEarlier(place, facts))) return false;
      if (places.some((place) => isNoEarlier(facts, place))) return true;
      // Of another mutation's answer, and of what another audience has brought first, only the numbers tell that it is newer.
      const isCopy = (facts.copyOf ?? null) !== null && facts.copyOf === own.copyOf;
      if (!isCopy || facts.seq === null) return isOwn && own.isPulled !== true;
      places.push(facts); // That of a mutation's answer may have had no number: its echo has it.
      return isOutdated(facts);
    });
    return refreshed(affected, false);
  }

  return {
    named,
    of: (directive, facts) =>
      directive.kind === 'item' ? onItem(directive, facts) : onCollection(directive, facts),
    underWay: (directive) => about(directive).filter(isBusy),
    overtaken,
  };
}
