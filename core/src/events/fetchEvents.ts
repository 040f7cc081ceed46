// The lifecycle events of reads and requests. A detail is created when a listener or the history reads it.

import type { Slot } from '../cache/entry.ts';
import type { Target } from '../types/delivery.ts';
import type { Lifecycle } from './bus.ts';

/** What a request is about. The name of its event implies the kind. */
export const subject = ({ entry: { def, id, params }, level }: Slot): object =>
  def.kind === 'item' ? { type: def.name, id, level } : { name: def.name, params };

/** The target of `directive:processed` for a slot (D-DIR-4). */
export const targetOf = (slot: Slot): Target => ({ kind: slot.entry.def.kind, ...subject(slot) }) as Target; // The subject is that of the kind.

/** What a request begins or ends with. */
export type FetchEvent = 'intent' | 'success' | 'error' | 'aborted' | 'complete';

/** Emits `item:…` or `collection:…`. `more` has the further fields of that event. */
export type Announce = (slot: Slot, name: 'cache-hit' | `fetch:${FetchEvent | 'skip'}`, more: object) => void;

export const createAnnounce =
  ({ emit }: Lifecycle): Announce =>
  (slot, name, more) =>
    // The subject of a slot's kind and the added fields are the detail of that kind's event.
    emit(`${slot.entry.def.kind}:${name}`, () => ({ ...subject(slot), ...more }) as never);
