// Adds a dehydrated state to the cache (D-REACT-10). The recent-directives log decides which entries of the state are stale.

import type { DataLayer } from '@edict/core';
import type { Parts } from '../parts.ts';
import type { Def, Entry, Slot } from '../cache/entry.ts';
import { idKey, isWatched } from '../cache/entry.ts';
import { isMarked } from '../cache/staleness.ts';
import { deepEqual } from '../cache/structuralSharing.ts';
import { isPlainObject } from '../platform/plainObject.ts';
import { isId } from '../config/checks.ts';
import { collectionData } from '../fetching/listResponse.ts';
import type { DehydratedState } from './types.ts';
import { isAge, maxTransferMs } from '../platform/ages.ts';
import { isCursor } from './dehydrate.ts';
import { partsOf } from './parts.ts';

/** How React hydrates a state. */
export interface HydrateInReact {
  /**
   * The state belongs to the page that is being hydrated. Everything that this page requested is newer than the
   * cursors of the state.
   */
  readonly isOfPage: boolean;
  /** React is rendering, so subscribers are notified in a microtask. */
  readonly isRendering: boolean;
}

/** One payload of a state. */
interface Given {
  readonly levels: readonly string[];
  readonly payload: unknown;
  readonly ageMs: number;
  readonly isStale: boolean;
}

/** The cursors of a state. */
interface Cursors {
  /** Every audience of this client has one. */
  readonly areWhole: boolean;
  /** All changes after the cursors have arrived. */
  readonly areKnown: boolean;
  readonly seqs: ReadonlyMap<string, number>;
  /** A cursor became the first sequence number of its audience. */
  readonly isFirst: boolean;
}

/** The state while it is hydrated. */
interface Hydration {
  readonly cursors: Cursors;
  /** The time from which its ages are counted. */
  readonly at: number;
  /** The slots that it has filled. */
  readonly placed: Set<Slot>;
  /** The time of its oldest payload; null if it contains no data. */
  oldest: number | null;
}

/** When a state was first hydrated, and into which cache. Its ages count from then. */
type First = Pick<Hydration, 'at'> & Pick<Parts, 'cache'>;
/** For each environment, because a reset keeps it and replaces the cache. */
const firsts = new WeakMap<Parts['env'], WeakMap<object, First>>();

function createHydration({ env, cache, registry, audiences, recent, fetching, bulk }: Parts) {
  /**
   * Whether a directive named the entry after the state was read, or may have. Incomplete cursors count as none. A directive below the known
   * numbers may come from a server that restarted its count, so its time decides.
   */
  function isPassed(entry: Entry, time: number, { areWhole, areKnown, seqs, isFirst }: Cursors): boolean {
    if (!areKnown || (!areWhole && audiences.hasMissedSince(time))) return true;
    return recent.some(entry.def.name, idKey(entry.id), ({ audience, seq, at }) => {
      const cursor = areWhole ? seqs.get(audience) : undefined;
      const isComparable = isFirst || Number(seq) >= audiences.stateOf(audience).knownFrom;
      return seq === null || cursor === undefined || !isComparable ? at > time - maxTransferMs : seq > cursor;
    });
  }

  /**
   * Adds one payload. It is older than every newer payload and every request in flight of the entry, at any level, because conversions connect
   * the levels. So newer data stays, and responses replace the payload (D-FETCH-3).
   * @param rest how many payloads of the entry follow; each is newer than the one before
   */
  function put(entry: Entry, { levels, payload, ageMs, isStale }: Given, rest: number, run: Hydration): void {
    const { at, placed, cursors } = run;
    const fetchedAt = at - ageMs;
    run.oldest = Math.min(run.oldest ?? fetchedAt, fetchedAt);
    const isStateStale = isPassed(entry, fetchedAt, cursors);
    // An age does not include the transfer time. An entry that directives have kept fresh here is therefore newer.
    const isNewer = (slot: Slot): boolean =>
      slot.fetchedAt !== null &&
      !placed.has(slot) &&
      (slot.fetchedAt > fetchedAt || (isStateStale && !isMarked(slot)));
    const slots = levels.map((level) => cache.ensureSlot(entry, level)).filter((slot) => !isNewer(slot));
    if (slots.length === 0) return;
    const newerOrders = entry.slots.flatMap((slot) => [
      ...(slot.flight === null ? [] : [slot.flight.order]),
      ...(isNewer(slot) ? [slot.answeredOrder] : []),
    ]);
    const lowest = Math.min(...newerOrders);
    const order = lowest === Infinity ? cache.nextOrder() : lowest - 1 - rest;
    const isSettledHere = cursors.areWhole && cursors.areKnown;
    const staleHere = isSettledHere ? [] : entry.slots.filter(isMarked);
    for (const slot of slots) {
      const isSameAge = !placed.has(slot) && slot.fetchedAt === fetchedAt;
      // The payload came from another level, or from an earlier hydration of the state.
      if (isSameAge ? deepEqual(slot.payload, payload) : slot.answeredOrder === order) continue;
      // Two states with the same age differ, and nothing shows which one is newer. The first one stays and is
      // marked stale.
      if (isSameAge && (isStateStale || !isSettledHere)) staleHere.push(slot);
      else cache.store(slot, payload, order, fetchedAt);
    }
    const filled = entry.slots.filter((slot) => slots.includes(slot) || slot.answeredOrder === order);
    for (const slot of filled) placed.add(slot);
    if (isStale || isStateStale || slots.some((slot) => staleHere.includes(slot))) staleHere.push(...filled);
    // The response of a request in flight ends the mark.
    const mark = lowest === Infinity ? cache.nextOrder() : lowest;
    for (const slot of staleHere) if (!isMarked(slot)) cache.markStale(slot, mark);
    fetching.noteRequestAt(fetchedAt - maxTransferMs); // Ages do not include the transfer of the state.
  }

  /** Whether everything after this number has arrived, and the number is not from before a restart. */
  function isKnownFrom(audience: string, seq: number): boolean {
    const { knownFrom, hasRestarted, lastSeq } = audiences.stateOf(audience);
    return seq === lastSeq || (seq >= knownFrom && !hasRestarted);
  }

  function skip(part: unknown): false {
    env.log('warn', 'skipped in a dehydrated state: not registered, or malformed', part);
    return false;
  }

  /** The members of a list in a state. */
  function listOf(value: unknown): Record<string, unknown>[] {
    if (value !== undefined && !Array.isArray(value)) skip(value);
    const members: unknown[] = Array.isArray(value) ? value : [];
    return members.filter(
      (member): member is Record<string, unknown> => isPlainObject(member) || skip(member),
    );
  }

  function hydrateItem(item: Record<string, unknown>, run: Hydration): void {
    const { type, id } = item;
    const def = registry.types.get(String(type));
    if (def === undefined || !isId(id)) return void skip(item);
    const payloads = listOf(item['payloads']);
    payloads.forEach(({ levels, data, ageMs, stale }, nth) => {
      if (!Array.isArray(levels) || !isAge(ageMs) || data === undefined) return void skip(item);
      const known = (levels as string[]).filter((level) => def.fetchers.has(level)); // Other values are no keys.
      if (known.length === 0) return;
      const entry = cache.item(def, id);
      const given = { levels: known, payload: data, ageMs, isStale: stale === true };
      put(entry, given, payloads.length - 1 - nth, run);
      cache.hydrating.add(entry);
    });
  }

  function hydrateCollection(collection: Record<string, unknown>, run: Hydration): void {
    const { name, params, ageMs, stale } = collection;
    const def: Def | undefined = registry.collections.get(String(name));
    if (def === undefined || !isAge(ageMs) || !(params === undefined || isPlainObject(params)))
      return void skip(collection);
    const payload = collectionData(collection, 'A list');
    const entry = cache.collection(def, params);
    put(entry, { levels: ['default'], payload, ageMs, isStale: stale === true }, 0, run);
    cache.hydrating.add(entry);
  }

  /** Entries that cannot be read are skipped, because a state may be damaged during its transfer. */
  function each(list: unknown, hydrateOne: (member: Record<string, unknown>) => void): void {
    for (const member of listOf(list)) {
      try {
        hydrateOne(member);
      } catch {
        skip(member);
      }
    }
  }

  /**
   * Reads the cursors. If an audience has no sequence number yet, its cursor becomes the last number, and the
   * stream continues from it.
   */
  function readCursors(given: unknown): Cursors {
    const missing = new Set(audiences.subscribed());
    const seqs = new Map<string, number>();
    let areKnown = true;
    let isFirst = false;
    for (const cursor of listOf(given)) {
      if (!isCursor(cursor)) continue;
      const { audience, seq } = cursor;
      missing.delete(audience);
      seqs.set(audience, Math.min(seq, seqs.get(audience) ?? seq));
      if (audiences.stateOf(audience).lastSeq === null) {
        audiences.setBaseline(audience, seq);
        isFirst = true;
      } else areKnown &&= isKnownFrom(audience, seq);
    }
    return { areWhole: missing.size === 0, areKnown, seqs, isFirst };
  }

  /**
   * The stream continues from the first number of an audience, and nothing before it is replayed. So entries that
   * were requested earlier may lack changes. Returns the slots that became stale.
   */
  function staleBefore({ at, oldest, placed }: Hydration, oldestRequestAt: number): Slot[] {
    if (oldest !== null) audiences.miss(oldest);
    // Cursors without data may belong to data in another cache.
    else if (registry.entries().every((entry) => cache.hydrating.has(entry))) return [];
    if (oldestRequestAt >= (oldest ?? at)) return [];
    const order = cache.nextOrder();
    cache.outdateAll(order);
    const older = registry.slots().filter((slot) => !placed.has(slot));
    for (const slot of older) cache.markStale(slot, order);
    return older;
  }

  return (state: unknown, inReact?: HydrateInReact): void => {
    if (!isPlainObject(state) || state['v'] !== 1) return void skip(state);
    const states = firsts.get(env) ?? new WeakMap<object, First>();
    firsts.set(env, states);
    const first = states.get(state) ?? { at: env.now(), cache };
    states.set(state, first);
    if (first.cache !== cache) return; // The data may belong to the user before a reset.
    const oldestRequestAt = inReact?.isOfPage === true ? Infinity : fetching.oldestRequestAt();
    const run: Hydration = {
      cursors: readCursors(state['cursors']),
      at: first.at,
      placed: new Set(),
      oldest: null,
    };
    cache.batch(() => {
      each(state['items'], (item) => hydrateItem(item, run));
      each(state['collections'], (collection) => hydrateCollection(collection, run));
      const stale = [...run.placed].filter(isMarked);
      if (run.cursors.isFirst) stale.push(...staleBefore(run, oldestRequestAt));
      bulk.want(stale.filter(({ entry }) => isWatched(entry)));
    }, inReact?.isRendering);
  };
}

/**
 * Adds a dehydrated state to the cache. Newer data that is cached already stays. Call it before `init`, so that the first connection continues
 * from the cursors of the state. Malformed and unregistered parts are skipped with a warning. Hydrating the same state (the same object) again
 * changes nothing, also after a reset.
 */
export const hydrate = (dl: DataLayer, state: DehydratedState): void => hydrateWith(dl, state);

/** The same for `<HydrationBoundary>`. */
export function hydrateWith(dl: DataLayer, state: DehydratedState, inReact?: HydrateInReact): void {
  createHydration(partsOf(dl, 'hydrate'))(state, inReact);
}
