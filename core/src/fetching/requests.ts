// Requests begin, settle, and are followed up. At most one is in flight for a slot. A trigger that needs newer data than its response queues
// one follow-up (D-FETCH-1, D-FETCH-2).
//
//   request 1   |-----------------|                 its response is shown, and stays stale
//   directive          x..window..|(queued)
//   request 2                     |--------------|  begun after the directive, so its response is fresh

import type { Announce } from '../events/fetchEvents.ts';
import type { Cache } from '../cache/store.ts';
import type { Strategy } from './calls.ts';
import { createCalls, Failed } from './calls.ts';
import type { Demand, Fetcher, Flight, FollowUp, Slot } from '../cache/entry.ts';
import { isOnly, isPromised, jointDemand, ordinary, slotsOf } from '../cache/entry.ts';
import type { Env } from '../platform/env.ts';
import { isMarked, isSlotStale } from '../cache/staleness.ts';
import { fetcherOf, reaches } from '../levels/graph.ts';
import type { LastNamedSince } from './listItems.ts';
import { storeItems } from './listItems.ts';
import { ListPayload } from './listResponse.ts';
import { createRetries } from './retry.ts';
import type { Settings } from '../config/options.ts';

/** A slot that needs a request. */
export interface Want extends FollowUp {
  readonly slot: Slot;
}

/** What requests need to know of lists that contain items. */
export interface ListHooks {
  readonly lastNamedSince: LastNamedSince;
  /** An attempt of a collection's request, or the request, has ended. */
  readonly onAttempt: (flight: Flight) => void;
}

export interface Fetching {
  /** Requests each slot immediately, or after the request in flight if that one is too old. */
  begin: (wants: readonly Want[]) => void;
  /** Makes sure that a request begun from now on follows the one in flight. */
  followUp: (slot: Slot, want: FollowUp) => void;
  /** The time at which the oldest request began (D-SSE-8). */
  oldestRequestAt: () => number | null;
  noteRequestAt: (at: number) => void;
  dispose: () => void;
}

/** How a request ended. A failure is only one that is shown. */
type Verdict = 'success' | 'aborted' | Failed;

/** The slots of both lists, each once. */
const union = (a: Slot[] | null, b: Slot[] | null): Slot[] | null =>
  a === null ? b : b === null ? a : [...new Set([...a, ...b])];

interface Needs {
  env: Env;
  cache: Cache;
  announce: Announce;
  settings: () => Settings;
  lists: ListHooks;
}

export function createFetching({ env, cache, announce, settings, lists }: Needs): Fetching {
  const calls = createCalls(env, settle, (flights) => cache.batch(() => endAttempts(flights)));
  const retries = createRetries(env, settings, (slots) =>
    begin(slots.map((slot) => ({ slot, ...ordinary, owed: true, needs: null }))),
  );
  let queries = 0;
  let oldestRequestAt: number | null = null;
  let isDisposed = false;

  function noteRequestAt(at: number): void {
    oldestRequestAt = Math.min(oldestRequestAt ?? at, at);
  }

  /** Registers every request before it calls a fetch function, so that a fetch function that reads joins them. */
  function launch(wants: readonly Want[]): void {
    const { maxBatchSize } = settings().bulk;
    const batches: (readonly [Fetcher, readonly Flight[]])[] = [];
    for (const [fetcher, group] of byFetcher(wants)) {
      noteRequestAt(env.now());
      const size = fetcher.bulkFetch === null ? 1 : maxBatchSize;
      for (let i = 0; i < group.length; i += size) {
        const query = ++queries;
        const flights: Flight[] = [];
        for (const want of group.slice(i, i + size)) {
          // A listener of the previous request's events may have read this slot.
          if (want.slot.flight === null) flights.push(register(want, query));
          else followUp(want.slot, want);
        }
        batches.push([fetcher, flights]);
      }
    }
    for (const [fetcher, flights] of batches) {
      if (isDisposed) abandon(flights); // A fetch function or a listener has disposed the data layer.
      else calls.call(fetcher, flights);
    }
  }

  function abandon(flights: readonly Flight[]): void {
    for (const flight of flights) {
      if (flight.slot.flight !== flight) continue; // It was missing in a bulk response, so two calls contain it.
      cache.queue(flight.slot, null);
      cache.end(flight.slot);
      announce.aborted(flight, 'disposed');
      announce.complete(flight);
    }
  }

  /** Ends the request of a level that is not registered any more. It fails if the level has no data. */
  function letGo(slot: Slot): void {
    const { entry, level } = slot;
    cache.queue(slot, null);
    if (slot.stamp !== null) return;
    const error = new Error(`level "${level}" of type "${entry.def.name}" is not registered any more`);
    cache.fail(slot, error, cache.nextOrdinal());
  }

  /** The requests of each fetcher. */
  function byFetcher(wants: readonly Want[]): Iterable<readonly [Fetcher, readonly Want[]]> {
    const first = wants[0] && fetcherOf(wants[0].slot);
    if (first !== undefined && wants.every(({ slot }) => fetcherOf(slot) === first)) return [[first, wants]];
    const groups = new Map<Fetcher, Want[]>();
    for (const want of wants) {
      const fetcher = fetcherOf(want.slot);
      if (fetcher === undefined) {
        letGo(want.slot);
        continue;
      }
      const group = groups.get(fetcher);
      if (group === undefined) groups.set(fetcher, [want]);
      else group.push(want);
    }
    return groups;
  }

  function register({ slot, silent, forced, owed, needs }: Want, query: number): Flight {
    const isRetried = retries.begun(slot);
    const flight: Flight = {
      slot,
      ordinal: cache.nextOrdinal(),
      query,
      force: forced || owed,
      silent,
      owed: owed || isRetried, // It replaces the retry.
      isVoid: false,
      needs,
    };
    cache.begin(slot, flight);
    announce.intent(flight);
    return flight;
  }

  /** Ends every request that one call served (D-FETCH-2, D-FETCH-3). Follow-ups start together, after everything is stored. */
  function settle(flights: readonly Flight[], outcomes: readonly unknown[], strategy: Strategy): void {
    cache.enter();
    try {
      const stamp = env.now();
      const after: Slot[] = [];
      const verdicts = flights.map((flight, at) => conclude(flight, outcomes[at], stamp, after));
      flights.forEach((flight, at) => tell(flight, verdicts[at] as Verdict, strategy)); // There is one of each.
      // A slot with a request in flight starts its follow-up when that request settles.
      const free = after.filter((slot) => slot.flight === null);
      if (free.length > 0) launch(free.map((slot) => ({ slot, ...(slot.followUp as FollowUp) }))); // Each was queued with one.
      endAttempts(flights);
    } finally {
      cache.leave();
    }
  }

  function endAttempts(flights: readonly Flight[]): void {
    for (const flight of flights) if (flight.slot.entry.def.of !== null) lists.onAttempt(flight);
  }

  /** Ends one request with its outcome. Adds the slots that need a further request to `after`. */
  function conclude(flight: Flight, outcome: unknown, stamp: number, after: Slot[]): Verdict {
    const { slot } = flight;
    const isVoid = flight.isVoid || flight.ordinal < slot.answered;
    let verdict: Verdict = 'aborted';
    const { ordinal: order } = flight;
    const payload = outcome instanceof ListPayload ? outcome.data : outcome;
    if (!flight.isVoid && !(outcome instanceof Failed) && cache.store(slot, payload, order, stamp)) {
      verdict = 'success';
      if (outcome instanceof ListPayload)
        for (const due of storeItems(cache, lists.lastNamedSince, outcome, { order, stamp }))
          after.push(queueNeed(due, { silent: false, owed: true }));
    }
    let { needs } = flight;
    // An inline result may have arrived. Or the level is not registered any more, and the levels that depend on it are fetched themselves.
    const isNeedless = slot.followUp !== null && !slot.followUp.forced && !isSlotStale(slot, stamp);
    if (slot.followUp !== null && (isNeedless || fetcherOf(slot) === undefined)) {
      needs = union(needs, slot.followUp.needs);
      cache.queue(slot, null);
    }
    // The failure of a void request does not matter, because newer data is shown.
    if (outcome instanceof Failed && !isVoid) {
      if (!isAwaited(slot, flight.ordinal)) {
        verdict = outcome;
        cache.fail(slot, outcome.error, flight.ordinal);
      } else if (!flight.silent) {
        // Readers of a request whose failure is not reported wait for the next request.
        if (slot.wait !== null) cache.wait(slot, { ...slot.wait, read: true, silent: false });
        if (slot.followUp !== null) cache.queue(slot, { ...slot.followUp, silent: false });
      }
    }
    cache.end(slot);
    if (slot.followUp !== null) after.push(slot);
    if (flight.owed && !isOnly(slot)) needs = union(needs, unaskedBy(slot));
    if (needs !== null)
      for (const need of needs) if (isLacking(need, flight, stamp)) after.push(queueNeed(need, flight));
    return verdict;
  }

  function tell(flight: Flight, verdict: Verdict, strategy: Strategy): void {
    if (verdict === 'success') announce.success(flight, strategy);
    else if (verdict === 'aborted') announce.aborted(flight, 'superseded');
    else announce.error(flight, verdict.error);
    announce.complete(flight);
    if (verdict === 'success' || flight.slot.failure === null) retries.done(flight.slot);
    else if (verdict !== 'aborted' && (flight.owed || isKnownOutdated(flight.slot)))
      retries.later(flight.slot);
  }

  /** A directive or a resync left the refetch of an unwatched entry to the next read, and this was that read. */
  const isKnownOutdated = (slot: Slot): boolean => slot.stamp !== null && isMarked(slot);

  /** Whether a response that is newer than the request with this ordinal is expected. */
  const isAwaited = (slot: Slot, ordinal: number): boolean =>
    slot.followUp !== null || slot.wait !== null || isPromised(slot, ordinal);

  /**
   * Levels that were first cached after the directive arrived, by a request that was sent before it. The directive could not schedule them
   * (D-LEVEL-3).
   */
  const unaskedBy = ({ entry, level }: Slot): Slot[] =>
    slotsOf(entry).filter(
      (held) => isMarked(held) && held.failure === null && reaches(entry.def.graph, level, held.level),
    );

  /** Whether the payload did not contain the level, and no request in flight or queued will return it. */
  function isLacking(need: Slot, { ordinal }: Flight, now: number): boolean {
    if (need.answered >= ordinal || isAwaited(need, ordinal)) return false;
    const { flight } = need;
    const isCovered = flight !== null && !flight.isVoid && flight.ordinal > need.marked;
    return !isCovered && isSlotStale(need, now);
  }

  function queueNeed(need: Slot, { silent, owed }: Pick<Demand, 'silent' | 'owed'>): Slot {
    cache.queue(need, { silent, forced: false, owed, needs: null });
    return need;
  }

  function followUp(slot: Slot, want: FollowUp): void {
    const queued = slot.followUp;
    // A forcing trigger needs a response that is requested from now on. The one in flight will be shown as stale (D-FETCH-2).
    if (want.forced) cache.markStale(slot, cache.nextOrdinal());
    cache.queue(slot, {
      ...jointDemand(queued ?? want, want),
      needs: union(queued?.needs ?? null, want.needs),
    });
  }

  function begin(wants: readonly Want[]): void {
    cache.batch(() => {
      const starting: Want[] = [];
      for (const want of wants) {
        const { slot } = want;
        if (slot.flight === null) starting.push(want);
        // The request in flight is older: a request that begins removes its slot from the window.
        else followUp(slot, want);
      }
      launch(starting);
    });
  }

  return {
    begin,
    followUp,
    oldestRequestAt: () => oldestRequestAt,
    noteRequestAt,
    dispose() {
      isDisposed = true;
      retries.dispose();
      cache.batch(() => abandon(calls.dispose()));
    },
  };
}
