// The coalescing windows. Directives wait in one of them (D-DIR-5), and so do reads of types with `bulkFetch` (D-DIR-7). When a window closes,
// its slots are requested together.

import type { Slot, RequestKind } from '../cache/entry.ts';
import { isQueued, refetch } from '../cache/entry.ts';
import type { Stored } from '../cache/store.ts';
import type { Fetching } from './requests.ts';

export interface Bulk {
  /** Requests slots that a directive named, at the end of its window. Must be called within a cache batch. */
  want: (slots: readonly Slot[], isPulled?: boolean) => void;
  /**
   * Requests a slot that was read. The request is sent at the end of the task.
   * @param isScattered similar reads follow in tasks of their own, because React renders each suspended component
   *   in its own task
   */
  read: (slot: Slot, kind: RequestKind, isScattered: boolean) => void;
  /** Slots that wait for the directives' window. */
  pending: () => number;
}

interface CoalescingWindow {
  readonly slots: Set<Slot>;
  /** How long it stays open. */
  readonly ms: () => number;
  isOpen: boolean;
}

/** The shortest time for which scattered reads are collected, in milliseconds. */
const scatteredMs = 5;

/** A directive that waits for its window does not show as loading. */
const waitingDirective: RequestKind = { ...refetch, silent: true };

const slotsIn = (window: CoalescingWindow): Slot[] =>
  [...window.slots].filter(({ wanted }) => wanted?.window === window);

/** The members that every part may use that requests entries. */
export interface Requesting extends Stored {
  fetching: Fetching;
  bulk: Bulk;
}

export function createBulk({ env, fetching, settings }: Omit<Requesting, 'bulk'>): Bulk {
  const windowOf = (ms: () => number): CoalescingWindow => ({ slots: new Set(), ms, isOpen: false });
  const directives = windowOf(() => settings().bulk.delayMs + env.random() * settings().bulk.jitterMs);
  const pulled = windowOf(() => settings().bulk.pullDelayMs);
  const reads = windowOf(() => settings().bulk.readWindowMs);

  /** The first slot opens the window; later ones do not extend it. */
  function enter(window: CoalescingWindow, slot: Slot, kind: RequestKind, leastMs = 0): void {
    fetching.want(slot, kind, window);
    window.slots.add(slot);
    if (window.isOpen) return;
    window.isOpen = true;
    const ms = Math.max(window.ms(), leastMs);
    if (ms > 0) env.setTimeout(() => close(window), ms);
    // The end of the current task. `queueMicrotask` is not used, because fake timers such as those of Jest replace
    // it too.
    else void Promise.resolve().then(() => close(window));
  }

  function close(window: CoalescingWindow): void {
    const slots = slotsIn(window);
    window.slots.clear();
    window.isOpen = false;
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
          if (!wanted.owed) fetching.want(slot, refetch);
          continue;
        }
        enter(window, slot, waitingDirective);
      }
    },
    read: (slot, kind, isScattered) => enter(reads, slot, kind, isScattered ? scatteredMs : 0),
    pending: () => slotsIn(directives).length + slotsIn(pulled).length,
  };
}
