// What is known to be outdated and could not be had is asked for again, while somebody watches (D-FETCH-10).

import type { Slot } from './entries.ts';
import { isBusy, isCached, isWatched } from './entries.ts';
import type { Env } from './env.ts';
import type { Settings } from './rules/options.ts';
import { unref } from './unref.ts';

const ceilingMs = 30_000;

export interface Retries {
  /** A refetch that was owed has failed: later, and each time twice as late. */
  later: (slot: Slot) => void;
  /** A request begins in its place. True when a retry is under way. */
  begun: (slot: Slot) => boolean;
  /** There is an answer. */
  done: (slot: Slot) => void;
  dispose: () => void;
}

export function createRetries(env: Env, settings: () => Settings, again: (slot: Slot) => void): Retries {
  const retries = new Map<Slot, { timer: unknown; delayMs: number }>();
  let isDisposed = false;

  function later(slot: Slot): void {
    const { retryFailedMs } = settings().bulk;
    if (retryFailedMs === 0 || isDisposed) return;
    const delayMs = Math.min(retries.get(slot)?.delayMs ?? retryFailedMs, Math.max(ceilingMs, retryFailedMs));
    const timer = env.setTimeout(() => {
      if (slot.failure === null || !isCached(slot.entry)) return void retries.delete(slot);
      retries.set(slot, { timer: null, delayMs: delayMs * 2 });
      if (!isWatched(slot.entry)) later(slot); // It may be watched again by then.
      else if (!isBusy(slot)) again(slot); // Else a read that waits for its window takes its place.
    }, delayMs);
    retries.set(slot, { timer, delayMs });
    if (!isWatched(slot.entry)) unref(timer);
  }

  return {
    later,
    begun(slot) {
      const retry = retries.get(slot);
      if (retry === undefined) return false;
      if (retry.timer !== null) env.clearTimeout(retry.timer);
      if (slot.failure !== null) return true;
      retries.delete(slot); // An inline result has come instead.
      return false;
    },
    done: (slot) => void retries.delete(slot),
    dispose() {
      isDisposed = true;
      for (const { timer } of retries.values()) if (timer !== null) env.clearTimeout(timer);
      retries.clear();
    },
  };
}
