// The lifecycle events of reads and requests. A detail is created when a listener or the history reads it.

import { qidOf, type Flight, type Slot } from '../cache/entry.ts';
import type { Target } from '../types/delivery.ts';
import type { Lifecycle } from './bus.ts';
import type { LifecycleEvent } from './eventTypes.ts';

/** The subject of a request. The name of its event implies the kind. */
export const subject = ({ entry: { def, id, params }, level }: Slot): object =>
  def.kind === 'item' ? { type: def.name, id, level } : { name: def.name, params };

/** The target of `directive:processed` for a slot (D-DIR-4). */
export const targetOf = (slot: Slot): Target => ({ kind: slot.entry.def.kind, ...subject(slot) }) as Target; // The subject is that of the kind.

type Name = 'cache-hit' | `fetch:${'intent' | 'success' | 'error' | 'aborted' | 'complete' | 'skip'}`;

/** Emits `item:…` or `collection:…` for a read of a slot, or for a request. `more` has the further fields of that event. */
export type EmitFetchEvent = (about: Slot | Flight, name: Name, more?: object) => void;

/** The subject matches the slot's kind, so with the added fields it is the detail of that kind's event. */
const detailOf = (about: Slot | Flight, more?: object): never =>
  ('slot' in about
    ? { ...subject(about.slot), qid: qidOf(about.queryNumber), ...more }
    : { ...subject(about), ...more }) as never;

/** The names are built once. */
const names: Record<Target['kind'], Partial<Record<Name, LifecycleEvent>>> = { item: {}, collection: {} };

export const createFetchEvents =
  ({ emit }: Lifecycle): EmitFetchEvent =>
  (about, name, more) => {
    const { kind } = ('slot' in about ? about.slot : about).entry.def;
    emit((names[kind][name] ??= `${kind}:${name}`), detailOf, about, more);
  };
