// Repeats refetches that directives and resyncs requested and that failed, while the entry is watched (D-FETCH-10).

import type { Slot } from '../cache/entry.ts';
import { isBusy, isCached, isWatched } from '../cache/entry.ts';
import type { Settings } from '../config/options.ts';
import type { Env } from '../platform/env.ts';
import { unref } from '../platform/unref.ts';

const longestDelayMs = 30_000;

export interface Retries {
  /** A refetch failed: schedules the next one. Each wait is twice as long as the one before. */
  later: (slot: Slot) => void;
  /** A request begins and takes the place of the next retry. Returns whether one was scheduled or is in flight. */
  begun: (slot: Slot) => boolean;
  /** A response has arrived. */
  done: (slot: Slot) => void;
  dispose: () => void;
}

/** Retries that are due at the same time. Refetches that failed as one request are requested as one. */
interface Round {
  readonly key: string;
  readonly slots: Set<Slot>;
  timer: unknown;
}

interface Retry {
  readonly round: Round;
  /** The wait before this retry, or once it is due, before the one after it. */
  delayMs: number;
}

/** @param request requests all of these slots together */
export function createRetries(
  env: Env,
  settings: () => Settings,
  request: (slots: readonly Slot[]) => void,
): Retries {
  const retries = new Map<Slot, Retry>();
  /** By the time at which they are due, apart for entries that are watched: only those keep a Node process alive. */
  const rounds = new Map<string, Round>();
  let isDisposed = false;

  function leave(slot: Slot, round: Round): void {
    if (!round.slots.delete(slot) || round.slots.size > 0) return;
    env.clearTimeout(round.timer);
    rounds.delete(round.key);
  }

  function roundIn(delayMs: number, isWatchedThen: boolean): Round {
    const key = `${env.now() + delayMs} ${isWatchedThen}`;
    const known = rounds.get(key);
    if (known !== undefined) return known;
    const round: Round = { key, slots: new Set(), timer: null };
    round.timer = env.setTimeout(() => run(round), delayMs);
    if (!isWatchedThen) unref(round.timer);
    rounds.set(key, round);
    return round;
  }

  function run(round: Round): void {
    rounds.delete(round.key);
    const due: Slot[] = [];
    for (const slot of round.slots) {
      const retry = retries.get(slot);
      if (retry === undefined || slot.failure === null || !isCached(slot.entry)) {
        retries.delete(slot);
        continue;
      }
      retry.delayMs *= 2;
      if (!isWatched(slot.entry)) later(slot); // It may be watched by then.
      else if (!isBusy(slot)) due.push(slot); // Otherwise a read that waits for its window takes the place of the retry.
    }
    if (due.length > 0) request(due);
  }

  function later(slot: Slot): void {
    const { retryFailedMs } = settings().bulk;
    if (retryFailedMs === 0 || isDisposed) return;
    const before = retries.get(slot);
    if (before !== undefined) leave(slot, before.round);
    const delayMs = Math.min(before?.delayMs ?? retryFailedMs, Math.max(longestDelayMs, retryFailedMs));
    const round = roundIn(delayMs, isWatched(slot.entry));
    round.slots.add(slot);
    retries.set(slot, { round, delayMs });
  }

  return {
    later,
    begun(slot) {
      const retry = retries.get(slot);
      if (retry === undefined) return false;
      leave(slot, retry.round);
      if (slot.failure !== null) return true;
      retries.delete(slot); // An inline result has arrived meanwhile.
      return false;
    },
    done: (slot) => void retries.delete(slot),
    dispose() {
      isDisposed = true;
      for (const { timer } of rounds.values()) env.clearTimeout(timer);
      rounds.clear();
      retries.clear();
    },
  };
}
