// The lifecycle events of reads and requests. Their details are made when somebody reads them.

import type { Flight, Slot } from './entries.ts';
import { qidOf } from './entries.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { LifecycleEvent, LifecycleEvents, SkipReason } from './lifecycleEvents.ts';
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
function subject(slot: Slot): object {
  const { kind: _, ...rest } = targetOf(slot);
  return rest;
}

type Make = (slot: Slot, flight: Flight | null, extra: object | null) => LifecycleEvents[LifecycleEvent];

// The subject of the slot's kind and the extra fields together are the detail that the event's type names.
const make = ((slot: Slot, flight: Flight | null, extra: object | null) => ({
  ...subject(slot),
  ...(flight === null ? null : { qid: qidOf(flight.query) }),
  ...extra,
})) as unknown as Make;

const skipped = {
  fresh: { reason: 'fresh' },
  failed: { reason: 'failed' },
  'in-flight': { reason: 'in-flight' },
  derived: { reason: 'derived' },
} as const;
const forced = { force: true } as const;
const unforced = { force: false } as const;
const direct = { strategy: 'direct' } as const;
const bulk = { strategy: 'bulk' } as const;

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

/** Only an item's success says how it was fetched. */
const strategyOf = ({ slot, strategy }: Flight): object | null =>
  !isItem(slot) ? null : strategy === 'bulk' ? bulk : direct;

/** Only a collection's intent says whether it was forced, as the table of the events has it (document, 6.2). */
const forceOf = ({ slot, force }: Flight): object | null => (isItem(slot) ? null : force ? forced : unforced);

export function createAnnounce(lifecycle: Lifecycle): Announce {
  const tell = (event: LifecycleEvent, slot: Slot, flight: Flight | null, extra: object | null): void =>
    lifecycle.note(event, make as never, slot, flight, extra);
  const tellOf = (event: LifecycleEvent, flight: Flight, extra: object | null): void =>
    tell(event, flight.slot, flight, extra);
  return {
    intent: (flight) => tellOf(of(flight.slot).intent, flight, forceOf(flight)),
    success: (flight) => tellOf(of(flight.slot).success, flight, strategyOf(flight)),
    error: (flight, error) => tellOf(of(flight.slot).error, flight, { error }),
    aborted: (flight, reason) => tellOf(of(flight.slot).aborted, flight, { reason }),
    complete: (flight) => tellOf(of(flight.slot).complete, flight, null),
    hit: (slot, reason) => tell(of(slot).hit, slot, null, skipped[reason]),
    skip: (slot, reason) => tell(of(slot).skip, slot, null, skipped[reason]),
  };
}
