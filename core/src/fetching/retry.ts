// What is known to be outdated and could not be had is asked for again, while somebody watches (D-FETCH-10).

import type { Slot } from '../cache/entry.ts';
import { isBusy, isCached, isWatched } from '../cache/entry.ts';
import type { Env } from '../platform/env.ts';
import type { Settings } from '../config/options.ts';
import { unref } from '../platform/unref.ts';

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

/** What is due at one moment: what has failed as one request is asked for as one. */
interface Round {
  readonly dueAt: number;
  /** Nobody's: it keeps no process alive. */
  readonly isIdle: boolean;
  readonly slots: Set<Slot>;
  timer: unknown;
}

/** @param again asks for all of these at once */
export function createRetries(
  env: Env,
  settings: () => Settings,
  again: (slots: readonly Slot[]) => void,
): Retries {
  const retries = new Map<Slot, { round: Round; delayMs: number }>();
  const rounds = new Set<Round>();
  let isDisposed = false;

  function end(round: Round): void {
    env.clearTimeout(round.timer);
    rounds.delete(round);
  }

  function leave(slot: Slot, round: Round): void {
    if (round.slots.delete(slot) && round.slots.size === 0) end(round);
  }

  function roundOf(delayMs: number, isIdle: boolean): Round {
    const dueAt = env.now() + delayMs;
    for (const round of rounds) if (round.dueAt === dueAt && round.isIdle === isIdle) return round;
    const round: Round = { dueAt, isIdle, slots: new Set(), timer: null };
    round.timer = env.setTimeout(() => run(round), delayMs);
    if (isIdle) unref(round.timer);
    rounds.add(round);
    return round;
  }

  function run(round: Round): void {
    rounds.delete(round);
    const due: Slot[] = [];
    for (const slot of round.slots) {
      const retry = retries.get(slot);
      if (retry === undefined) continue;
      if (slot.failure === null || !isCached(slot.entry)) {
        retries.delete(slot);
        continue;
      }
      retry.delayMs *= 2;
      if (!isWatched(slot.entry)) later(slot); // It may be watched again by then.
      else if (!isBusy(slot)) due.push(slot); // Else a read that waits for its window takes its place.
    }
    if (due.length > 0) again(due);
  }

  function later(slot: Slot): void {
    const { retryFailedMs } = settings().bulk;
    if (retryFailedMs === 0 || isDisposed) return;
    const before = retries.get(slot);
    if (before !== undefined) leave(slot, before.round);
    const delayMs = Math.min(before?.delayMs ?? retryFailedMs, Math.max(ceilingMs, retryFailedMs));
    const round = roundOf(delayMs, !isWatched(slot.entry));
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
      retries.delete(slot); // An inline result has come instead.
      return false;
    },
    done: (slot) => void retries.delete(slot),
    dispose() {
      isDisposed = true;
      rounds.forEach(end);
      retries.clear();
    },
  };
}
