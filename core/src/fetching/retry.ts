// Repeats refetches that directives and resyncs requested and that failed, while the entry is watched (D-FETCH-10).

import { isBusy, isCached, isWatched, type Slot } from '../cache/entry.ts';
import type { Base } from '../platform/base.ts';
import { unref } from '../platform/unref.ts';

const longestDelayMs = 30_000;

export interface Retries {
  /**
   * The refetches of these slots failed together. Schedules the next attempt. Each wait is twice as long as the
   * previous one.
   */
  later: (slots: readonly Slot[]) => void;
  /** A request begins and replaces the next retry. Returns whether a retry was scheduled or is in flight. */
  begun: (slot: Slot) => boolean;
}

/** @param request requests all of these slots together */
export function createRetries({ env, settings }: Base, request: (slots: readonly Slot[]) => void): Retries {
  /** The wait before the next retry of a slot. */
  const waits = new WeakMap<Slot, number>();

  function later(slots: readonly Slot[]): void {
    const { retryFailedMs } = settings().bulk;
    if (retryFailedMs === 0 || slots.length === 0) return;
    // They stay one request, so they wait for the one that has failed most often.
    const delayMs = Math.max(retryFailedMs, ...slots.map((slot) => waits.get(slot) ?? 0));
    for (const slot of slots) waits.set(slot, delayMs);
    const failures = slots.map(({ failure }) => failure);
    const run = (): void => {
      // A request that began since then, or a read that waits for its window, replaces the retry.
      const left = slots.filter(
        (slot, at) => slot.failure === failures[at] && !isBusy(slot) && isCached(slot.entry),
      );
      for (const slot of left) waits.set(slot, Math.min(delayMs * 2, longestDelayMs));
      later(left.filter(({ entry }) => !isWatched(entry))); // They may be watched by then.
      request(left.filter(({ entry }) => isWatched(entry)));
    };
    const timer = env.setTimeout(run, delayMs);
    if (!slots.some(({ entry }) => isWatched(entry))) unref(timer); // Only watched entries keep a Node process alive.
  }

  return {
    later,
    begun(slot) {
      if (slot.failure === null) waits.delete(slot); // A response has arrived meanwhile.
      return waits.has(slot);
    },
  };
}
