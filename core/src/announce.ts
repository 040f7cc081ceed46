// The lifecycle events of reads and requests. Their details are made when somebody reads them.

import type { Strategy } from './calls.ts';
import type { Flight, Slot } from './entries.ts';
import { qidOf } from './entries.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { LifecycleEvent, SkipReason } from './lifecycleEvents.ts';
import type { Target } from './types/delivery.ts';

export interface Announce {
  intent: (flight: Flight) => void;
  success: (flight: Flight, strategy: Strategy) => void;
  error: (flight: Flight, error: unknown) => void;
  aborted: (flight: Flight, reason: 'superseded' | 'disposed') => void;
  complete: (flight: Flight) => void;
  /** Served from the cache. */
  hit: (slot: Slot, reason: SkipReason) => void;
  /** Started nothing. */
  skip: (slot: Slot, reason: SkipReason) => void;
}

/** A slot as `directive:processed` names it (D-DIR-4). */
export const targetOf = ({ entry, level }: Slot): Target =>
  entry.def.kind === 'item'
    ? { kind: 'item', type: entry.def.name, id: entry.id, level }
    : { kind: 'collection', name: entry.def.name, params: entry.params };

/** The same as the events of requests name it: by the event it is known what it is. */
export function subject(slot: Slot): object {
  const { kind: _, ...rest } = targetOf(slot);
  return rest;
}

const isItem = ({ entry }: Slot): boolean => entry.def.kind === 'item';

/** Makes a detail, when somebody reads it. */
type Make = (slot: Slot, flight: Flight, extra: unknown) => object;

const ofRequest: Make = (slot, { query }) => ({ ...subject(slot), qid: qidOf(query) });
// Only a collection's intent says whether it was forced, only an item's success how it was fetched (document, 6.2).
const ofIntent: Make = (slot, flight) => ({
  ...ofRequest(slot, flight, null),
  ...(isItem(slot) ? null : { force: flight.force }),
});
const ofSuccess: Make = (slot, flight, strategy) => ({
  ...ofRequest(slot, flight, null),
  ...(isItem(slot) ? { strategy } : null),
});
const ofError: Make = (slot, flight, error) => ({ ...ofRequest(slot, flight, null), error });
const ofAborted: Make = (slot, flight, reason) => ({ ...ofRequest(slot, flight, null), reason });
const ofRead = ((slot: Slot, reason: SkipReason) => ({ ...subject(slot), reason })) as never;

const eventsOf = <K extends 'item' | 'collection'>(kind: K) =>
  ({
    intent: `${kind}:fetch:intent`,
    success: `${kind}:fetch:success`,
    error: `${kind}:fetch:error`,
    aborted: `${kind}:fetch:aborted`,
    complete: `${kind}:fetch:complete`,
    hit: `${kind}:cache-hit`,
    skip: `${kind}:fetch:skip`,
  }) as const;

// Made once: a name put together in every read would cost more than the read.
const itemEvents = eventsOf('item');
const collectionEvents = eventsOf('collection');

/** The events of the slot's kind. */
const of = (slot: Slot): Record<keyof Announce, LifecycleEvent> =>
  isItem(slot) ? itemEvents : collectionEvents;

export function createAnnounce(lifecycle: Lifecycle): Announce {
  // The subject of the slot's kind and what is added to it are the detail that the event's type names.
  const tell = (event: LifecycleEvent, make: Make, flight: Flight, extra: unknown): void =>
    lifecycle.emitLazily(event, make as never, flight.slot, flight, extra);
  return {
    intent: (flight) => tell(of(flight.slot).intent, ofIntent, flight, null),
    success: (flight, strategy) => tell(of(flight.slot).success, ofSuccess, flight, strategy),
    error: (flight, error) => tell(of(flight.slot).error, ofError, flight, error),
    aborted: (flight, reason) => tell(of(flight.slot).aborted, ofAborted, flight, reason),
    complete: (flight) => tell(of(flight.slot).complete, ofRequest, flight, null),
    hit: (slot, reason) => lifecycle.emitLazily(of(slot).hit, ofRead, slot, reason, null),
    skip: (slot, reason) => lifecycle.emitLazily(of(slot).skip, ofRead, slot, reason, null),
  };
}
