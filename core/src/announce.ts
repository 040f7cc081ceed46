// The lifecycle events of reads and requests. Their details are made when somebody reads them.

import type { Flight, Slot } from './entries.ts';
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

function subject({ entry, level }: Slot): object {
  return entry.def.kind === 'item'
    ? { type: entry.def.name, id: entry.id, level }
    : { name: entry.def.name, params: entry.params };
}

type Make = (slot: Slot, flight: Flight | null, extra: object | null) => LifecycleEvents[LifecycleEvent];

// The subject of the slot's kind and the extra fields together are the detail that the event's type names.
const make = ((slot: Slot, flight: Flight | null, extra: object | null) => ({
  ...subject(slot),
  ...(flight === null ? null : { qid: flight.qid }),
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

const itemEvents = {
  intent: 'item:fetch:intent',
  success: 'item:fetch:success',
  error: 'item:fetch:error',
  aborted: 'item:fetch:aborted',
  complete: 'item:fetch:complete',
  hit: 'item:cache-hit',
  skip: 'item:fetch:skip',
} as const;

const collectionEvents = {
  intent: 'collection:fetch:intent',
  success: 'collection:fetch:success',
  error: 'collection:fetch:error',
  aborted: 'collection:fetch:aborted',
  complete: 'collection:fetch:complete',
  hit: 'collection:cache-hit',
  skip: 'collection:fetch:skip',
} as const;

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
