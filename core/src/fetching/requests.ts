// Requests begin and settle. At most one is in flight for a slot. A slot that is still wanted when it settles is requested again
// (D-FETCH-1, D-FETCH-2).
//
//   request 1   |-----------------|                 its response is shown, and stays stale
//   directive          x..window..|(wanted)
//   request 2                     |--------------|  begun after the directive, so its response is fresh

import { createCalls, type Strategy } from './calls.ts';
import type { Fetcher, Flight, RequestKind, Slot } from '../cache/entry.ts';
import { coveringFlight, idKey, isBusy, isQueued, isWatched, jointKind, refetch } from '../cache/entry.ts';
import { isMarked, isUnanswered } from '../cache/staleness.ts';
import type { Stored } from '../cache/store.ts';
import { fetcherOf, reaches } from '../levels/graph.ts';
import { mayContain, plan } from '../levels/plan.ts';
import type { ListPayload } from './listResponse.ts';
import { Failed } from './payload.ts';
import type { Id } from '../protocol/directive.ts';
import { createRetries } from './retry.ts';

export interface Fetching {
  /** Marks the slots as wanted, and requests them together. */
  begin: (slots: readonly Slot[], kind: RequestKind) => void;
  /**
   * Requests the slots that are still wanted. It uses the fewest levels, requests lists before the items that they
   * may contain, and waits for requests in flight that are too old.
   */
  request: (slots: readonly Slot[]) => void;
  /**
   * Marks a slot as wanted, in addition to earlier requirements. With a window, the slot waits for that window.
   */
  want: (slot: Slot, kind: RequestKind, window?: object) => void;
  /** The start of the oldest request (D-SSE-8), or Infinity if there was none. */
  oldestRequestAt: () => number;
  noteRequestAt: (at: number) => void;
}

interface Needs extends Stored {
  /** Whether a directive that has named the record, or may have named it, passes the test. */
  recent: { some: (name: string, key: Id, test: (entry: { order: number }) => boolean) => boolean };
}

export function createFetching(needs: Needs): Fetching {
  const { env, cache, recent, registry, emitFetchEvent, settings, disposed } = needs;
  const call = createCalls(needs, settle, endAttempts);
  const retries = createRetries(needs, (slots) => begin(slots, refetch));
  let queries = 0;
  let oldestRequestAt = Infinity;

  const noteRequestAt = (at: number): void => void (oldestRequestAt = Math.min(oldestRequestAt, at));

  function want(slot: Slot, kind: RequestKind, window?: object): void {
    if (disposed.aborted) return;
    const { wanted } = slot;
    const { silent, forced, isRequired } = wanted === null ? kind : jointKind(wanted, kind);
    cache.want(slot, {
      silent,
      forced,
      isRequired, // A spread would take longer than the rest.
      since: wanted === null || kind.forced ? cache.nextOrder() : wanted.since,
      waitsFor: window === undefined ? (wanted?.waitsFor ?? []) : [window],
    });
  }

  function begin(slots: readonly Slot[], kind: RequestKind): void {
    cache.batch(() => {
      for (const slot of slots) want(slot, kind);
      request(slots);
    });
  }

  function request(slots: readonly Slot[]): void {
    cache.batch(() => {
      const now = env.now();
      // An inline result may have arrived meanwhile.
      for (const slot of slots) if (!isUnanswered(slot, now)) cache.want(slot, null);
      const lists = slots.filter(({ entry, wanted }) => entry.def.of !== null && wanted !== null);
      launch(plan(slots.filter((slot) => place(slot, lists))).filter(({ flight }) => flight === null));
    });
  }

  /** Decides what the slot waits for from now on. Returns true if it needs a request of its own. */
  function place(slot: Slot, lists: readonly Slot[]): boolean {
    const { wanted } = slot;
    if (wanted === null) return false;
    const flight = wanted.forced ? null : coveringFlight(slot); // Every request in flight is older than a forced one.
    const sources = flight === null ? lists.filter((list) => mayContain(list, slot)) : [];
    const isOpen = flight === null && sources.length === 0;
    if (!isOpen || !isQueued(slot))
      cache.want(slot, {
        silent: wanted.silent && !wanted.isRequired, // From now on, the request of a directive shows as loading.
        forced: wanted.forced,
        isRequired: wanted.isRequired,
        since: flight?.order ?? wanted.since,
        waitsFor: sources,
      });
    // Until a new enough response arrives, the data is shown as stale (D-FETCH-2, D-LEVEL-3).
    if (wanted.forced && slot.flight) cache.markStale(slot, wanted.since);
    return isOpen;
  }

  /** Registers every request before it calls a fetch function, so that a fetch function that reads joins them. */
  function launch(planned: readonly Slot[]): void {
    const batches: (readonly [Fetcher, readonly Flight[]])[] = [];
    for (const fetcher of new Set(planned.map(fetcherOf))) {
      const group = planned.filter((slot) => fetcherOf(slot) === fetcher);
      if (fetcher === undefined) {
        group.forEach(drop);
        continue;
      }
      noteRequestAt(env.now());
      const size = fetcher.bulkFetch === null ? 1 : settings().bulk.maxBatchSize;
      for (let i = 0; i < group.length; i += size) {
        const queryNumber = ++queries;
        batches.push([
          fetcher,
          group.slice(i, i + size).flatMap((slot) => register(slot, queryNumber) ?? []),
        ]);
      }
    }
    for (const [fetcher, flights] of batches) if (flights.length > 0) call(fetcher, flights);
  }

  /** Ends the request of a level that is not registered anymore. The request fails if the level has no data. */
  function drop(slot: Slot): void {
    cache.want(slot, null);
    try {
      if (slot.fetchedAt === null) registry.fetcher(slot.entry.def, slot.level);
    } catch (error) {
      cache.fail(slot, error, cache.nextOrder());
    }
  }

  function register(slot: Slot, queryNumber: number): Flight | null {
    if (slot.wanted === null) return null; // A listener has disposed the data layer.
    const isRetried = retries.begun(slot);
    let kind: RequestKind = slot.wanted;
    const { entry, level } = slot;
    for (const other of entry.slots) {
      const { wanted } = other;
      if (wanted === null || !reaches(entry.def.graph, level, other.level)) continue;
      kind = jointKind(kind, wanted);
      // The response of this request is new enough, if it contains the level.
      if (wanted.forced) cache.markStale(other, wanted.since);
      cache.want(other, { ...wanted, forced: false });
    }
    const flight: Flight = {
      slot,
      order: cache.nextOrder(),
      queryNumber,
      force: kind.forced || kind.isRequired,
      silent: kind.silent,
      isRequired: kind.isRequired || isRetried, // It replaces the retry.
    };
    cache.begin(slot, flight);
    // In the document's table, only the intent event of a collection has `force`, and only the success event of an
    // item has `strategy`.
    emitFetchEvent(flight, 'fetch:intent', entry.def.kind === 'item' ? undefined : { force: flight.force });
    return flight;
  }

  /** Emits the outcome of a request. */
  function complete(flight: Flight, name: `fetch:${'success' | 'error' | 'aborted'}`, more?: object): void {
    emitFetchEvent(flight, name, more);
    emitFetchEvent(flight, 'fetch:complete');
  }

  /**
   * Ends every request that one call served (D-FETCH-2, D-FETCH-3). The next requests start together, after all
   * results are stored.
   */
  function settle(flights: readonly Flight[], outcomes: readonly unknown[], strategy: Strategy): void {
    cache.batch(() => {
      const due: Slot[] = [];
      flights.forEach((flight, at) => conclude(flight, outcomes[at], due));
      const failed: Slot[] = [];
      for (const flight of flights) {
        const { slot, order, isRequired } = flight;
        const { failure, answeredOrder, entry } = slot;
        const hasFailed = failure?.requestedOrder === order;
        if (hasFailed) complete(flight, 'fetch:error', { error: failure.thrown });
        else if (answeredOrder !== order) complete(flight, 'fetch:aborted', { reason: 'superseded' });
        else complete(flight, 'fetch:success', entry.def.kind === 'item' ? { strategy } : undefined);
        // This includes a read for which a directive or a resync deferred the refetch of an unwatched entry.
        if (hasFailed && (isRequired || (slot.fetchedAt !== null && isMarked(slot)))) failed.push(slot);
      }
      retries.later(failed);
      for (const slot of due) want(slot, refetch);
      for (const { slot } of flights)
        for (const other of slot.entry.slots) if (isQueued(other)) due.push(other);
      request(due);
      endAttempts(flights);
    });
  }

  /** Ends one request with its outcome. Adds the slots to `due` that are stale and that nothing else will request. */
  function conclude(flight: Flight, outcome: unknown, due: Slot[]): void {
    const { slot, order } = flight;
    const { wanted, entry } = slot;
    if (!(outcome instanceof Failed)) {
      const list = entry.def.kind === 'collection' ? (outcome as ListPayload) : null; // See `payloadOf`.
      const stored = cache.store(slot, list === null ? outcome : list.data, order, env.now());
      if (stored.length > 0 && list !== null) storeItems(order, list.items, due);
    } else if (order >= slot.answeredOrder) {
      // The failure of a discarded request does not matter, because newer data is shown.
      if (wanted === null) cache.fail(slot, outcome.error, order);
      else if (!flight.silent) cache.want(slot, { ...wanted, silent: false }); // Its readers wait for the next request.
    }
    cache.end(slot);
    for (const other of entry.slots) if (isLeftStale(flight, outcome, other)) due.push(other);
  }

  /**
   * Stores the items of a list response. Each counts as requested when the list was requested (D-FETCH-6). Adds the slots to `due` that are
   * watched and stale, and that nothing else will request.
   */
  function storeItems(order: number, items: ListPayload['items'], due: Slot[]): void {
    for (const { type, level, id, payload } of items) {
      const entry = cache.item(type, id);
      const stored = cache.store(cache.ensureSlot(entry, level), payload, order, env.now());
      const isNamedSince = recent.some(type.name, idKey(entry.id), (directive) => directive.order > order);
      for (const slot of stored) {
        // A directive could not mark an item that was not cached.
        if (isNamedSince) cache.markStale(slot, order + 1);
        if (!isWatched(entry)) cache.setUnread(slot, true);
        else if (isMarked(slot) && !isBusy(slot)) due.push(slot);
      }
    }
  }

  /** Whether a request that has ended leaves another level of its entry stale, and nothing else will request that level. */
  function isLeftStale({ slot, order, isRequired }: Flight, outcome: unknown, other: Slot): boolean {
    if (!isMarked(other) || isBusy(other) || other.failure !== null) return false;
    const { entry, answeredOrder } = slot;
    const isReached = reaches(entry.def.graph, slot.level, other.level);
    const isOlder = other.answeredOrder < order;
    // It was first cached after the directive arrived, by a request that was sent before it. The directive could not schedule it (D-LEVEL-3).
    if (isOlder && isRequired && isReached) return true;
    if (!isWatched(entry)) return false;
    // The requested level is null now. The item may be gone, and the other level still shows it.
    if (isOlder) return outcome === null && other.payload !== null;
    // A newer result has replaced the response, which only the other level still has.
    return answeredOrder > order && isReached;
  }

  /** Attempts of lists have ended. Requests the items that the lists do not contain. */
  function endAttempts(flights: readonly Flight[]): void {
    cache.batch(() => {
      const ready: Slot[] = [];
      for (const { slot: list, order } of flights) {
        if (list.entry.def.of === null) continue;
        for (const item of cache.busy) {
          const { wanted } = item;
          // The batch may still wait for an earlier request in flight, or an inline result may have replaced its
          // request.
          if (!wanted?.waitsFor.includes(list) || (order < wanted.since && isBusy(list))) continue;
          cache.want(item, { ...wanted, waitsFor: wanted.waitsFor.filter((other) => other !== list) });
          if (isQueued(item)) ready.push(item);
        }
      }
      request(ready);
    });
  }

  function dispose(): void {
    for (const slot of cache.busy) {
      const { flight } = slot;
      cache.want(slot, null);
      cache.end(slot);
      if (flight !== null) complete(flight, 'fetch:aborted', { reason: 'disposed' });
    }
  }
  disposed.addEventListener('abort', () => cache.batch(dispose));

  return { begin, request, want, oldestRequestAt: () => oldestRequestAt, noteRequestAt };
}
