// The lifecycle events of reads and requests. Their details are made when somebody reads them.

import type { Flight, Slot } from './entries.ts';
import { qidOf } from './entries.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { LifecycleEvent, SkipReason } from './lifecycleEvents.ts';
import type { Target } from './types.ts';

export interface Announce {
  intent: (flight: Flight) => void;
  success: (flight: Flight) => void;
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

// The subject of the slot's kind and what is added to it are the detail that the event's type names.
const ofRequest = ((slot: Slot, { query }: Flight, extra: object | null) => ({
  ...subject(slot),
  qid: qidOf(query),
  ...extra,
})) as never;
/** Of a read that started nothing: nothing is made for it but when somebody reads it. */
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

const isItem = ({ entry }: Slot): boolean => entry.def.kind === 'item';

/** The events of the slot's kind. */
const of = (slot: Slot): Record<keyof Announce, LifecycleEvent> =>
  isItem(slot) ? itemEvents : collectionEvents;

export function createAnnounce(lifecycle: Lifecycle): Announce {
  const tell = (what: keyof Announce, flight: Flight, extra: object | null): void =>
    lifecycle.emitLazily(of(flight.slot)[what], ofRequest, flight.slot, flight, extra);
  return {
    // Only a collection's intent says whether it was forced, only an item's success how it was fetched (document, 6.2).
    intent: (flight) => tell('intent', flight, isItem(flight.slot) ? null : { force: flight.force }),
    success: (flight) => tell('success', flight, isItem(flight.slot) ? { strategy: flight.strategy } : null),
    error: (flight, error) => tell('error', flight, { error }),
    aborted: (flight, reason) => tell('aborted', flight, { reason }),
    complete: (flight) => tell('complete', flight, null),
    hit: (slot, reason) => lifecycle.emitLazily(of(slot).hit, ofRead, slot, reason, null),
    skip: (slot, reason) => lifecycle.emitLazily(of(slot).skip, ofRead, slot, reason, null),
  };
}
