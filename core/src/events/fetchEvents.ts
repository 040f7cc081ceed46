// The lifecycle events of reads and requests. A detail is created when a listener or the history reads it.

import type { Strategy } from '../fetching/calls.ts';
import type { Flight, Slot } from '../cache/entry.ts';
import { qidOf } from '../cache/entry.ts';
import type { Lifecycle } from './bus.ts';
import type { SkipReason } from './eventTypes.ts';
import type { Target } from '../types/delivery.ts';

export interface Announce {
  intent: (flight: Flight) => void;
  success: (flight: Flight, strategy: Strategy) => void;
  error: (flight: Flight, error: unknown) => void;
  aborted: (flight: Flight, reason: 'superseded' | 'disposed') => void;
  complete: (flight: Flight) => void;
  /** A read was served from the cache and started no request. */
  hit: (slot: Slot, reason: SkipReason) => void;
  /** A read joined a request in flight. */
  join: (slot: Slot) => void;
}

/** The target of `directive:processed` for a slot (D-DIR-4). */
export const targetOf = ({ entry, level }: Slot): Target =>
  entry.def.kind === 'item'
    ? { kind: 'item', type: entry.def.name, id: entry.id, level }
    : { kind: 'collection', name: entry.def.name, params: entry.params };

/** The same without `kind`, which the name of a request's event implies. */
export function subject(slot: Slot): object {
  const { kind: _, ...rest } = targetOf(slot);
  return rest;
}

export function createAnnounce(lifecycle: Lifecycle): Announce {
  // The casts are true: the subject of a slot's kind and the added fields are the detail of that kind's event.
  function request({ slot, query }: Flight, name: string, extra?: object): void {
    const event = `${slot.entry.def.kind}:fetch:${name}` as 'item:fetch:complete';
    lifecycle.emit(event, () => ({ ...subject(slot), qid: qidOf(query), ...extra }) as never);
  }

  // The names are written in full, because joining strings in every cached read would cost more than the read.
  function read(slot: Slot, reason: SkipReason, isHit: boolean): void {
    const detail = (): never => ({ ...subject(slot), reason }) as never;
    const isOfItem = slot.entry.def.kind === 'item';
    if (isHit) lifecycle.emit(isOfItem ? 'item:cache-hit' : 'collection:cache-hit', detail);
    lifecycle.emit(isOfItem ? 'item:fetch:skip' : 'collection:fetch:skip', detail);
  }

  const isItem = ({ slot }: Flight): boolean => slot.entry.def.kind === 'item';

  return {
    // In the document's table, only the intent of a collection has `force`, and only the success of an item has `strategy`.
    intent: (flight) => request(flight, 'intent', isItem(flight) ? {} : { force: flight.force }),
    success: (flight, strategy) => request(flight, 'success', isItem(flight) ? { strategy } : {}),
    error: (flight, error) => request(flight, 'error', { error }),
    aborted: (flight, reason) => request(flight, 'aborted', { reason }),
    complete: (flight) => request(flight, 'complete'),
    hit: (slot, reason) => read(slot, reason, true),
    join: (slot) => read(slot, 'in-flight', false),
  };
}
