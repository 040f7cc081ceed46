// The coalescing windows. Directives wait in one of them (D-DIR-5), and so do reads of types with `bulkFetch` (D-DIR-7). When a window closes,
// its slots are requested together.

import { isQueued, refetch, type ReadKind, type RequestKind, type Slot } from '../cache/entry.ts';
import type { Stored } from '../cache/store.ts';
import type { Fetching } from './requests.ts';

export interface Bulk {
  /** Requests slots that a directive named, at the end of its window. Must be called within a cache batch. */
  want: (slots: readonly Slot[], isPulled?: boolean) => void;
  /** Requests a slot that was read. The request is sent at the end of the task, or after `batchableMs`. */
  read: (slot: Slot, kind: ReadKind) => void;
  /** Slots that wait for the directives' window. */
  pending: () => number;
}

/** @param ms how long it stays open */
const windowOf = (ms: () => number) => ({ slots: [] as Slot[], ms });
type CoalescingWindow = ReturnType<typeof windowOf>;

/** The shortest time for which batchable reads are collected, in milliseconds. */
const batchableMs = 5;

/** A directive that waits for its window does not show as loading. */
const waitingDirective: RequestKind = { ...refetch, silent: true };

/** The members that every part may use that requests entries. */
export interface Requesting extends Stored {
  fetching: Fetching;
  bulk: Bulk;
}

export function createBulk({ env, fetching, settings }: Omit<Requesting, 'bulk'>): Bulk {
  const directives = windowOf(() => settings().bulk.delayMs + env.random() * settings().bulk.jitterMs);
  const pulled = windowOf(() => settings().bulk.pullDelayMs);
  const reads = windowOf(() => settings().bulk.readWindowMs);

  /** The first slot opens the window; later ones do not extend it. */
  function enter(window: CoalescingWindow, slot: Slot, kind: ReadKind): void {
    fetching.want(slot, kind, window);
    if (window.slots.push(slot) > 1) return;
    const ms = Math.max(window.ms(), kind.isBatchable === true ? batchableMs : 0);
    if (ms > 0) env.setTimeout(() => close(window), ms);
    // The end of the current task. `queueMicrotask` is not used, because fake timers such as those of Jest replace
    // it too.
    else void Promise.resolve().then(() => close(window));
  }

  /** Without those that a result has answered, or that wait for the shorter window of a mutation now. */
  const waitingFor = (window: CoalescingWindow): Slot[] =>
    window.slots.filter(({ wanted }) => wanted?.waitsFor.includes(window));

  function close(window: CoalescingWindow): void {
    const slots = waitingFor(window);
    window.slots = [];
    fetching.request(slots);
  }

  return {
    want(slots, isPulled = false) {
      const window = isPulled ? pulled : directives;
      for (const slot of slots) {
        const { wanted } = slot;
        // Nothing needs to be scheduled: the slot is requested after its request in flight, with its lists, or
        // when its window closes.
        if (wanted !== null && (isQueued(slot) ? slot.flight !== null : !isPulled)) {
          if (!wanted.isRequired) fetching.want(slot, refetch);
          continue;
        }
        enter(window, slot, waitingDirective);
      }
    },
    read: (slot, kind) => enter(reads, slot, kind),
    pending: () => new Set([directives, pulled].flatMap(waitingFor)).size,
  };
}
