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
const direct = { strategy: 'direct' } as const;
const bulk = { strategy: 'bulk' } as const;

export function createAnnounce(lifecycle: Lifecycle): Announce {
  function tell(what: string, slot: Slot, flight: Flight | null, extra: object | null): void {
    const event = (slot.entry.def.kind === 'item' ? itemEvents : collectionEvents)[what];
    if (event !== undefined) lifecycle.note(event, make as never, slot, flight, extra);
  }
  return {
    intent: (flight) => tell('intent', flight.slot, flight, { force: flight.force }),
    success: (flight) =>
      tell(
        'success',
        flight.slot,
        flight,
        flight.slot.entry.def.kind === 'collection' ? null : flight.strategy === 'bulk' ? bulk : direct,
      ),
    error: (flight, error) => tell('error', flight.slot, flight, { error }),
    aborted: (flight, reason) => tell('aborted', flight.slot, flight, { reason }),
    complete: (flight) => tell('complete', flight.slot, flight, null),
    hit: (slot, reason) => tell('hit', slot, null, skipped[reason]),
    skip: (slot, reason) => tell('skip', slot, null, skipped[reason]),
  };
}

const itemEvents: Record<string, LifecycleEvent> = {
  intent: 'item:fetch:intent',
  success: 'item:fetch:success',
  error: 'item:fetch:error',
  aborted: 'item:fetch:aborted',
  complete: 'item:fetch:complete',
  hit: 'item:cache-hit',
  skip: 'item:fetch:skip',
};

const collectionEvents: Record<string, LifecycleEvent> = {
  intent: 'collection:fetch:intent',
  success: 'collection:fetch:success',
  error: 'collection:fetch:error',
  aborted: 'collection:fetch:aborted',
  complete: 'collection:fetch:complete',
  hit: 'collection:cache-hit',
  skip: 'collection:fetch:skip',
};
