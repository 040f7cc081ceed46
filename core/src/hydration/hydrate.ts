// A cache that was written out elsewhere is taken over (D-REACT-10), beside what is here already.

import type { DataLayer } from '@edict/core';
import type { Parts } from '../internals.ts';
import type { DehydratedState } from '../types/dehydrated.ts';
import { aCursor } from './dehydrate.ts';
import { partsOf } from './parts.ts';
import type { Entry, Slot } from '../cache/entry.ts';
import { isWatched, keyOf, slotsOf } from '../cache/entry.ts';
import { isAge } from './ages.ts';
import { collectionData } from '../fetching/responses.ts';
import { isId } from '../config/checks.ts';
import { audiencesOf } from '../stream/readEnvelope.ts';
import { deepEqual, isPlainObject } from '../cache/structuralSharing.ts';
import { isMarked } from '../cache/staleness.ts';

/** How React hydrates a state. */
export interface HydrateInReact {
  /** It came with the page that runs here, so whatever was read here was read after its cursors. */
  readonly isOfPage: boolean;
  /** React renders: who watches is told in a microtask. */
  readonly isRendering: boolean;
}

interface Hydration {
  hydrate: (state: unknown, ofHooks?: HydrateInReact) => void;
}

/**
 * Where a state stands beside the directives that were heard here: not older than any, older than some, which are known, or than some
 * that are not; or nothing tells.
 */
type Standing = 'current' | 'followed' | 'passed' | 'unknown';

/** One state that is being taken over. */
interface Taking {
  readonly standing: Standing;
  /** Its numbers, by audience. */
  readonly cursors: ReadonlyMap<string, number>;
  /** The moment that its ages count back from: when it was taken over first. */
  readonly at: number;
  /** What it has brought so far. */
  readonly placed: Set<Slot>;
  /** The oldest moment that it looks to be of: its cursors were read before. Null: it holds nothing. */
  from: number | null;
}

/** Places below another, each above the one before, and all of them less than a step away from it. */
const below = (ordinal: number, nth: number): number => ordinal - 0.5 / (nth + 1);

function createHydration({
  env,
  cache,
  registry,
  envelopes: positions,
  newest,
  heard,
  settings,
  fetching,
  bulk,
  hydratedAt: takenAt,
}: Parts): Hydration {
  /** Where cursors do not tell, the directives that have named the entry do; those without a number are beyond every cursor. */
  function standingOf(entry: Entry, moment: number, { standing, cursors }: Taking): Standing {
    if (standing === 'passed') return standing;
    // Of a collection only the name is known by directives, whatever the params are.
    const { name } = entry.def;
    const key = keyOf(entry);
    if (heard.mayPredate(name, key, moment, standing !== 'unknown')) return 'passed';
    if (standing !== 'followed') return standing;
    return heard.isNamedAfter(name, key, cursors) ? 'passed' : 'current';
  }

  /**
   * Puts one payload of a state into its place in the order: below all that is newer here and below every request that is under way, of
   * whatever level, since conversions bring one with the other. So what is newer stays, and those answers will replace it (D-FETCH-3).
   * @param nth of its entry in the state: each stands above the one before
   */
  function put(
    entry: Entry,
    levels: readonly string[],
    payload: unknown,
    { ageMs, isStale, nth }: { ageMs: number; isStale: boolean; nth: number },
    taking: Taking,
  ): void {
    const { at, placed } = taking;
    const stamp = at - ageMs;
    taking.from = Math.min(taking.from ?? stamp, stamp);
    const standing = standingOf(entry, stamp, taking);
    // An age says nothing of the way: where directives have passed the state, whatever they have kept current here is newer.
    const isNewer = (here: Slot): boolean =>
      here.stamp !== null &&
      !placed.has(here) &&
      (here.stamp > stamp || (standing === 'passed' && !isMarked(here)));
    const slots = levels.map((level) => cache.hold(entry, level)).filter((slot) => !isNewer(slot));
    if (slots.length === 0) return;
    const all = slotsOf(entry);
    // Where nothing tells that the state has what was asked for here, that stays owed.
    const owed = standing === 'current' ? [] : all.filter(isMarked);
    let ordinal = cache.nextOrdinal();
    for (const held of all) {
      if (held.flight !== null) ordinal = Math.min(ordinal, below(held.flight.ordinal, nth));
      if (isNewer(held)) ordinal = Math.min(ordinal, below(held.answered, nth));
    }
    for (const slot of slots) {
      const looksAsOld = !placed.has(slot) && slot.stamp === stamp;
      // It has come with the payload of another level, or when the state was taken over before.
      const isThere = looksAsOld ? deepEqual(slot.payload, payload) : slot.answered === ordinal;
      if (isThere) continue;
      // Of two that look as old cursors tell, or nothing does.
      if (looksAsOld && standing !== 'current') owed.push(slot);
      else cache.store(slot, payload, ordinal, stamp);
    }
    const brought = slotsOf(entry).filter((held) => slots.includes(held) || held.answered === ordinal);
    for (const held of brought) placed.add(held);
    // What is owed of a payload is owed of the levels that it converts to here (D-LEVEL-3).
    if (isStale || standing === 'passed' || slots.some((slot) => owed.includes(slot))) owed.push(...brought);
    // Above what was put, and below what stands above that: the answer of a request that is under way settles the mark, its failure does not.
    const mark = ordinal + (below(0, nth + 1) - below(0, nth)) / 2;
    for (const held of owed) if (!isMarked(held)) cache.markStale(held, mark);
    fetching.noteRequestAt(stamp);
  }

  /** The members of a list of a state. */
  function listOf(value: unknown): Record<string, unknown>[] {
    if (value !== undefined && !Array.isArray(value)) skip(value);
    const members: unknown[] = Array.isArray(value) ? value : [];
    return members.filter(
      (member): member is Record<string, unknown> => isPlainObject(member) || skip(member),
    );
  }

  function hydrateItem(item: Record<string, unknown>, taking: Taking): void {
    const { type, id, payloads } = item;
    const def = registry.types.get(String(type));
    if (def === undefined || !isId(id)) return void skip(item);
    for (const [nth, { levels, data, ageMs, stale }] of listOf(payloads).entries()) {
      if (!Array.isArray(levels) || !isAge(ageMs) || data === undefined) {
        skip(item);
        continue;
      }
      const known = (levels as unknown[]).filter(
        (level): level is string => typeof level === 'string' && def.fetchers.has(level),
      );
      if (known.length === 0) continue;
      const entry = cache.item(def, id);
      put(entry, known, data, { ageMs, isStale: stale === true, nth }, taking);
      cache.setHydrating(entry);
    }
  }

  function hydrateCollection(collection: Record<string, unknown>, taking: Taking): void {
    const { name, params, ageMs, stale } = collection;
    const def = registry.collections.get(String(name));
    if (def === undefined || !isAge(ageMs) || !(params === undefined || isPlainObject(params)))
      return void skip(collection);
    const data = collectionData(collection);
    const entry = cache.collection(def, params);
    put(entry, ['default'], data, { ageMs, isStale: stale === true, nth: 0 }, taking);
    cache.setHydrating(entry);
  }

  function skip(what: unknown): false {
    env.log('warn', 'passed over in a dehydrated state: not registered, or malformed', what);
    return false;
  }

  function guarded(run: () => void, what: unknown): void {
    try {
      run();
    } catch {
      skip(what);
    }
  }

  /** Takes over the hub's positions, which may leave out an audience of this client. */
  function takeCursors(given: unknown): Pick<Taking, 'standing' | 'cursors'> & { isFirst: boolean } {
    const untold = new Set(audiencesOf(settings().sse.audience));
    const cursors = new Map<string, number>();
    let isPassed = false;
    let isFollowed = true;
    let isFirst = false;
    for (const cursor of listOf(given)) {
      if (!aCursor.accepts(cursor)) continue;
      const { audience, seq: at } = cursor;
      const last = positions.lastSeq(audience);
      const mayBeOfBefore = newest.mayBeOfBefore(audience, at);
      // Of a server that counts anew, a number above its count may be from before.
      if (last === null || at <= last || !mayBeOfBefore) untold.delete(audience);
      // The answer of a mutation may be ahead of the stream.
      isPassed ||= at < (last ?? at) || newest.isPassed(audience, at);
      cursors.set(audience, Math.min(at, cursors.get(audience) ?? at));
      if (last === null) positions.setBaseline(audience, at);
      isFirst ||= last === null;
      isFollowed &&= !mayBeOfBefore && heard.isKnownFrom(audience, at);
    }
    const isTold = untold.size === 0;
    const passed = isTold && isFollowed ? 'followed' : 'passed';
    return { standing: isPassed ? passed : isTold ? 'current' : 'unknown', cursors, isFirst };
  }

  /**
   * The stream goes on from its first number, and nobody repeats what was said before: what is older may lack something. A state was read
   * after its cursors. Returns what has become stale of what was here.
   */
  function begin({ at, from, placed }: Taking, oldest: number | null): Slot[] {
    const entries = registry.entries();
    if (from !== null) heard.miss(from);
    // Cursors that come alone may be those of what another cache was given: they are trusted where nothing was read here.
    else if (entries.every(cache.isHydrating)) return [];
    if (oldest === null || oldest >= (from ?? at)) return [];
    const older = entries.flatMap(slotsOf).filter((slot) => !placed.has(slot));
    const ordinal = cache.nextOrdinal();
    for (const slot of older) cache.markStale(slot, ordinal);
    return older;
  }

  return {
    hydrate(state, ofHooks) {
      if (!isPlainObject(state) || state['v'] !== 1) return void skip(state);
      const at = takenAt.get(state) ?? env.now();
      takenAt.set(state, at);
      const oldest = ofHooks?.isOfPage === true ? null : fetching.oldestRequestAt();
      const { isFirst, ...told } = takeCursors(state['cursors']);
      const taking: Taking = { ...told, at, placed: new Set(), from: null };
      // An index is neither: `forEach(dl.hydrate)`.
      (ofHooks?.isRendering === true ? cache.batchQuietly : cache.batch)(() => {
        for (const item of listOf(state['items'])) guarded(() => hydrateItem(item, taking), item);
        for (const collection of listOf(state['collections']))
          guarded(() => hydrateCollection(collection, taking), collection);
        const outdated = [...taking.placed].filter(isMarked).concat(isFirst ? begin(taking, oldest) : []);
        bulk.want(outdated.filter(({ entry }) => isWatched(entry)));
      });
    },
  };
}

/**
 * Adds a dehydrated state to the cache. Newer data that is cached already stays. Call it before `init`, so that the first connection continues
 * from the cursors of the state. Malformed and unregistered parts are skipped with a warning. The same state (the same object) can be hydrated
 * again without effect.
 */
export const hydrate = (dl: DataLayer, state: DehydratedState): void => hydrateWith(dl, state);

/** The same for `<HydrationBoundary>`. */
export function hydrateWith(dl: DataLayer, state: DehydratedState, inReact?: HydrateInReact): void {
  createHydration(partsOf(dl, 'hydrate')).hydrate(state, inReact);
}
