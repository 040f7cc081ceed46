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

const isItem = ({ entry }: Slot): boolean => entry.def.kind === 'item';

const ofRead = (slot: Slot, reason: SkipReason): object => ({ ...subject(slot), reason });
const ofRequest = ({ slot, query }: Flight): object => ({ ...subject(slot), qid: qidOf(query) });
// In the document's table, only the intent of a collection has `force`, and only the success of an item has `strategy`.
const ofIntent = (flight: Flight): object => ({
  ...ofRequest(flight),
  ...(isItem(flight.slot) ? null : { force: flight.force }),
});
const ofSuccess = (flight: Flight, strategy: Strategy): object => ({
  ...ofRequest(flight),
  ...(isItem(flight.slot) ? { strategy } : null),
});
const ofError = (flight: Flight, error: unknown): object => ({ ...ofRequest(flight), error });
const ofAborted = (flight: Flight, reason: string): object => ({ ...ofRequest(flight), reason });

export function createAnnounce(lifecycle: Lifecycle): Announce {
  // The names are created once: joining strings in every read would cost more than the read. The casts are true because the subject of a
  // slot's kind and the added fields are the detail of that kind's event.
  function request<Extra>(
    name: `fetch:${'intent' | 'success' | 'error' | 'aborted' | 'complete'}`,
    detail: (flight: Flight, extra: Extra) => object,
  ): (flight: Flight, extra?: Extra) => void {
    const [item, collection] = [`item:${name}`, `collection:${name}`] as const;
    return (flight, extra) =>
      lifecycle.emitLazily(isItem(flight.slot) ? item : collection, detail as never, flight, extra);
  }

  return {
    intent: request('fetch:intent', ofIntent),
    success: request('fetch:success', ofSuccess),
    error: request('fetch:error', ofError),
    aborted: request('fetch:aborted', ofAborted),
    complete: request('fetch:complete', ofRequest),
    hit(slot, reason) {
      const make = ofRead as never;
      if (isItem(slot)) lifecycle.emitBoth('item:cache-hit', 'item:fetch:skip', make, slot, reason);
      else lifecycle.emitBoth('collection:cache-hit', 'collection:fetch:skip', make, slot, reason);
    },
    join(slot) {
      const name = isItem(slot) ? 'item:fetch:skip' : 'collection:fetch:skip';
      lifecycle.emitLazily(name, ofRead as never, slot, 'in-flight');
    },
  };
}
