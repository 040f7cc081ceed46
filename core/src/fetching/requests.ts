// Requests: begin, settle, follow up. At most one is in flight for a slot; whoever needs a newer answer than the one in
// flight will give queues one follow-up (D-FETCH-1, D-FETCH-2).
//
//   request 1   |-----------------|                 its answer is shown, but older than the directive: stays stale
//   directive          x..window..|(queued)
//   request 2                     |--------------|  begun after the directive: its answer is fresh

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

/** A slot that somebody needs a request for. */
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
  /** Requests each: at once, or behind the request in flight where that is too old. */
  begin: (wants: readonly Want[]) => void;
  /** Makes sure that a request begun from now on follows the one in flight. */
  followUp: (slot: Slot, want: FollowUp) => void;
  /** The moment when the oldest request began (D-SSE-8). */
  oldestRequestAt: () => number | null;
  noteRequestAt: (at: number) => void;
  dispose: () => void;
}

/** How a request ended; a failure is that which is shown. */
type Verdict = 'success' | 'aborted' | Failed;

/** The slots of two lists that count on one payload, without doubles. */
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

  /** Registers every request before any fetch function is called, so that one which reads finds them. */
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
          // A listener that was told of the request before may have read this one.
          if (want.slot.flight === null) flights.push(register(want, query));
          else followUp(want.slot, want);
        }
        batches.push([fetcher, flights]);
      }
    }
    for (const [fetcher, flights] of batches) {
      if (isDisposed) abandon(flights); // By the fetch function before, or by a listener.
      else calls.call(fetcher, flights);
    }
  }

  function abandon(flights: readonly Flight[]): void {
    for (const flight of flights) {
      if (flight.slot.flight !== flight) continue; // Left out of the answer to a batch: it stands in two calls.
      cache.queue(flight.slot, null);
      cache.end(flight.slot);
      announce.aborted(flight, 'disposed');
      announce.complete(flight);
    }
  }

  /** Of a level that was registered when it was wanted, and is no more. Whoever has no answer at all is told. */
  function letGo(slot: Slot): void {
    const { entry, level } = slot;
    cache.queue(slot, null);
    if (slot.stamp !== null) return;
    const error = new Error(`level "${level}" of type "${entry.def.name}" is not registered any more`);
    cache.fail(slot, error, cache.nextOrdinal());
  }

  /** What each fetcher is asked for. */
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
      owed: owed || isRetried, // It takes the place of the retry.
      isVoid: false,
      needs,
    };
    cache.begin(slot, flight);
    announce.intent(flight);
    return flight;
  }

  /** D-FETCH-2 and D-FETCH-3 for every request that one call served; follow-ups start together, after all is stored. */
  function settle(flights: readonly Flight[], outcomes: readonly unknown[], strategy: Strategy): void {
    cache.enter();
    try {
      const stamp = env.now();
      const after: Slot[] = [];
      const verdicts = flights.map((flight, at) => conclude(flight, outcomes[at], stamp, after));
      flights.forEach((flight, at) => tell(flight, verdicts[at] as Verdict, strategy)); // There is one of each.
      // What is under way takes its follow-up along when it settles itself.
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

  /** Ends one request with what came of it. Slots with a request to follow go to `after`. */
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
    // An inline result may have come instead; or its level is registered no more, and what counts on it is fetched itself.
    const isNeedless = slot.followUp !== null && !slot.followUp.forced && !isSlotStale(slot, stamp);
    if (slot.followUp !== null && (isNeedless || fetcherOf(slot) === undefined)) {
      needs = union(needs, slot.followUp.needs);
      cache.queue(slot, null);
    }
    // Of what was void already nobody waits for more: something newer is shown.
    if (outcome instanceof Failed && !isVoid) {
      if (!isAwaited(slot, flight.ordinal)) {
        verdict = outcome;
        cache.fail(slot, outcome.error, flight.ordinal);
      } else if (!flight.silent) {
        // Whoever joined a request whose failure is not reported goes on waiting, now for what follows.
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

  /** A directive or a resync that nobody was looking at then left its refetch to the next read, which was this one. */
  const isKnownOutdated = (slot: Slot): boolean => slot.stamp !== null && isMarked(slot);

  /** Something newer than the request with this ordinal will come: its failure is not the last word, and it need not be asked for. */
  const isAwaited = (slot: Slot, ordinal: number): boolean =>
    slot.followUp !== null || slot.wait !== null || isPromised(slot, ordinal);

  /**
   * What is marked and came to be held only since, with an answer that was requested before the mark: whoever marked it could not
   * ask for it, and counts on the conversions all the same (D-LEVEL-3).
   */
  const unaskedBy = ({ entry, level }: Slot): Slot[] =>
    slotsOf(entry).filter(
      (held) => isMarked(held) && held.failure === null && reaches(entry.def.graph, level, held.level),
    );

  /** What did not come with the payload, and will not come by a request that is under way or queued. */
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
    // Whoever forces wants an answer requested from now on: the one in flight will be shown, and is stale (D-FETCH-2).
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
        // It is older than what is wanted: a request that begins takes its slot out of the window.
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
