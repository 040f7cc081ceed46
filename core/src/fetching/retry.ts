// Repeats refetches that directives and resyncs requested and that failed, while the entry is watched (D-FETCH-10).

import type { Slot } from '../cache/entry.ts';
import { isBusy, isCached, isWatched } from '../cache/entry.ts';
import type { Settings } from '../config/options.ts';
import type { Env } from '../platform/env.ts';
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

/** The next retry of slots that failed together. Skips a slot that has a different retry by then. */
interface Retry {
  /** The wait before this retry. Once the retry is due, it is the wait before the next one. */
  delayMs: number;
}

/** @param request requests all of these slots together */
export function createRetries(
  env: Env,
  settings: () => Settings,
  request: (slots: readonly Slot[]) => void,
): Retries {
  const retries = new WeakMap<Slot, Retry>();

  function later(slots: readonly Slot[]): void {
    const { retryFailedMs } = settings().bulk;
    if (retryFailedMs === 0 || slots.length === 0) return;
    const retry = { delayMs: retryFailedMs };
    for (const slot of slots) {
      // They stay one request, so they wait for the one that has failed most often.
      retry.delayMs = Math.max(retry.delayMs, retries.get(slot)?.delayMs ?? 0);
      retries.set(slot, retry);
    }
    retry.delayMs = Math.min(retry.delayMs, Math.max(longestDelayMs, retryFailedMs));
    const timer = env.setTimeout(() => run(retry, slots), retry.delayMs);
    if (!slots.some(({ entry }) => isWatched(entry))) unref(timer); // Only watched entries keep a Node process alive.
  }

  function run(retry: Retry, slots: readonly Slot[]): void {
    retry.delayMs *= 2;
    const left = slots.filter(
      (slot) => retries.get(slot) === retry && slot.failure !== null && isCached(slot.entry),
    );
    later(left.filter(({ entry }) => !isWatched(entry))); // They may be watched by then.
    // A read that waits for its window replaces the retry.
    request(left.filter((slot) => isWatched(slot.entry) && !isBusy(slot)));
  }

  return {
    later,
    begun(slot) {
      const retry = retries.get(slot);
      if (retry === undefined) return false;
      if (slot.failure === null) return !retries.delete(slot); // A response has arrived meanwhile.
      retries.set(slot, { ...retry });
      return true;
    },
  };
}
