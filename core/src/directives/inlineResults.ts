// Inline results: of which levels one is, whether it may be held, where it stands in the order, and what shows later that it was old
// (D-DIR-8, D-DIR-9, D-FETCH-3).

import type { Cache } from '../cache/store.ts';
import type { Def, Entry, Slot } from '../cache/entry.ts';
import { hasSlot, slotsOf } from '../cache/entry.ts';
import type { Env } from '../platform/env.ts';
import type { Heard } from './heard.ts';
import type { LifecycleEvents } from '../events/eventTypes.ts';
import type { Metadata } from './metadata.ts';
import type { Newest } from './newest.ts';
import { accept, passes, suffices, validate } from '../fetching/responses.ts';
import { isMarked } from '../cache/staleness.ts';
import { fetcherFor, fetcherOf, reaches } from '../levels/graph.ts';
import type { Leaf, NormalDirective } from './normalize.ts';
import type { Place } from '../stream/sequence.ts';
import { isNoEarlier } from '../stream/sequence.ts';
import type { StandardSchema } from '../types/standardSchema.ts';

/** How directives that are not applied, or not as they came, are reported. */
export interface Report {
  skip: (directive: NormalDirective, reason: LifecycleEvents['directive:skipped']['reason']) => void;
  reject: (directive: unknown, issues: LifecycleEvents['directive:rejected']['issues']) => void;
}

/** An inline result that a slot holds, and its place in the order. */
interface Result {
  readonly ordinal: number;
  /** Of the copy that was applied. */
  readonly own: Metadata;
  /** Where it stands in each audience: each has a copy of its own, with a number of its own. */
  readonly places: Place[];
}

export interface InlineResults {
  /**
   * Holds what the directive has brought and returns the slots that it covers; null where it brought nothing, or nothing that may be held.
   * @param entry as far as something of it is held
   * @param hold makes it where there is none
   */
  take: (
    directive: Leaf,
    metadata: Metadata,
    def: Def,
    entry: Entry | undefined,
    hold: () => Entry,
  ) => readonly Slot[] | null;
  /**
   * Whether a copy of a directive that was applied before shows the result that the slot holds to be old (D-DIR-9). What tells, in this
   * order:
   * - the numbers of the result and of the copy, where they have them in one audience;
   * - of a copy of the very directive that brought the result: whether the copy's audience has said more already;
   * - of an own echo: that the stream brought the result before it, though after the answer of the mutation. So the result is from before
   *   the mutation, and without a number on the answer nothing told that sooner. Not where the result came in an answer itself.
   *
   * Else nothing does.
   */
  isOvertaken: (slot: Slot, copy: Metadata, isOwn: boolean) => boolean;
  /**
   * An answer to a mutation of this client has outdated these, and has no number: whether a result that the stream brings is from before it
   * is not known until they are answered.
   */
  doubt: (slots: readonly Slot[]) => void;
}

const schemaOf = (def: Def, level: string): StandardSchema | null => fetcherFor(def, level)?.schema ?? null;

/** Whether what the schema of the main level has made of a result is the payload of another level, too. */
function isAlsoOf(def: Def, other: string, main: string, data: unknown): boolean {
  const schema = schemaOf(def, other);
  return (schema === null || schema === schemaOf(def, main)) && suffices(def, other, data);
}

export function createInlineResults(
  env: Env,
  cache: Cache,
  newest: Newest,
  heard: Heard,
  noteRequestAt: (at: number) => void,
  { skip, reject }: Report,
): InlineResults {
  /** The last result of each slot. */
  const results = new WeakMap<Slot, Result>();
  /** The last mark of each slot beside which a result that is pushed is doubtful. */
  const doubts = new WeakMap<Slot, number>();
  const isOutdated = ({ audience, seq }: Metadata): boolean => newest.isPassed(audience, seq);

  /** D-DIR-8: which levels' payload an inline result is. */
  function levelsOf(result: unknown, directive: Leaf, entry: Entry | undefined): string[] {
    if (directive.kind === 'collection') return ['default'];
    if (directive.level !== null) return [directive.level];
    const slots = entry === undefined ? [] : slotsOf(entry).filter(fetcherOf);
    const checkOf = (slot: Slot): ((data: unknown) => boolean) | null => fetcherOf(slot)?.check ?? null;
    const only = slots[0];
    if (only !== undefined && slots.length === 1 && checkOf(only) === null) return [only.level];
    const accepting = slots.filter((slot) => {
      const check = checkOf(slot);
      return check !== null && passes(check, result);
    });
    return [...new Set(['default', ...accepting.map((slot) => slot.level)])];
  }

  /** A result that may be held for the slot's level; `undefined` after saying what is wrong with it (D-DIR-8). */
  function read(directive: Leaf, value: unknown, def: Def, level: string): unknown {
    try {
      const valid = validate(def, schemaOf(def, level), value);
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

  /** Whether the entry holds an answer that was requested after this result, or may have been (D-FETCH-3). */
  function isOlder(
    entry: Entry | undefined,
    levels: readonly string[],
    { requested, audience }: Metadata,
  ): boolean {
    const place = requested ?? heard.repeatedFrom(audience);
    return (
      entry !== undefined && hasSlot(entry, (slot) => slot.answered > place && levels.includes(slot.level))
    );
  }

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
    metadata: Metadata,
  ): readonly Slot[] {
    const isDoubtful = heard.hasOther(directive, metadata.audience);
    const isPushed = metadata.requested === undefined;
    const doubtful = slotsOf(entry).filter((slot) => isPushed && (doubts.get(slot) ?? 0) > slot.answered);
    const requested = metadata.requested ?? cache.nextOrdinal();
    const ordinal = placeOf(entry, levels, payload, requested);
    const stamp = env.now();
    // It is a change of the whole item: a level that comes later with an older answer is not fresh.
    cache.outdate(entry, requested);
    noteRequestAt(stamp); // What is held without a request is to be followed as well (D-SSE-8).
    for (const level of levels) cache.store(cache.hold(entry, level), payload, ordinal, stamp);
    const covered: Slot[] = [];
    for (const slot of slotsOf(entry)) {
      if (slot.answered !== ordinal) continue;
      covered.push(slot);
      // Its place may be above a mark that was set after the mutation was sent; the mark still holds.
      if (slot.marked > requested && !isMarked(slot)) cache.markStale(slot, cache.nextOrdinal());
      cache.voidFlight(slot);
      results.set(slot, { ordinal, own: metadata, places: [metadata] });
      if (isDoubtful || doubtful.includes(slot)) cache.markStale(slot, cache.nextOrdinal());
    }
    return covered;
  }

  return {
    doubt(slots) {
      for (const slot of slots) doubts.set(slot, slot.marked);
    },
    take(directive, metadata, def, entry, hold) {
      const { result } = directive;
      if (result === null) return null;
      const [main = 'default', ...others] = levelsOf(result.value, directive, entry);
      const data = read(directive, result.value, def, main);
      if (data === undefined) return null;
      const levels = [main, ...others.filter((other) => isAlsoOf(def, other, main, data))];
      if (isOutdated(metadata) || isOlder(entry, levels, metadata)) {
        skip(directive, 'outdated');
        return null;
      }
      return store(hold(), levels, data, directive, metadata);
    },
    isOvertaken(slot, copy, isOwn) {
      const result = results.get(slot);
      if (result?.ordinal !== slot.answered || isMarked(slot)) return false;
      const { own, places } = result;
      if (places.some((place) => isNoEarlier(place, copy))) return false;
      if (places.some((place) => isNoEarlier(copy, place))) return true;
      const isCopy = copy.key !== null && copy.key === own.key;
      if (!isCopy || copy.seq === null) return isOwn && !own.isPulled;
      places.push(copy); // That of a mutation's answer may have had no number: its echo has it.
      return isOutdated(copy);
    },
  };
}
