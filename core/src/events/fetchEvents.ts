// The lifecycle events of reads and requests. A detail is created when a listener or the history reads it.

import type { Slot } from '../cache/entry.ts';
import type { Target } from '../types/delivery.ts';
import type { Lifecycle } from './bus.ts';

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

/** What a request begins or ends with. */
export type FetchEvent = 'intent' | 'success' | 'error' | 'aborted' | 'complete';

/** Emits `item:…` or `collection:…`. `more` has the further fields of that event. */
export type Announce = (slot: Slot, name: 'cache-hit' | `fetch:${FetchEvent | 'skip'}`, more: object) => void;

export const createAnnounce =
  ({ emit }: Lifecycle): Announce =>
  (slot, name, more) =>
    // The subject of a slot's kind and the added fields are the detail of that kind's event.
    emit(`${slot.entry.def.kind}:${name}`, () => ({ ...subject(slot), ...more }) as never);
