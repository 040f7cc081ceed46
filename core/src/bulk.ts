// The coalescing windows. Directives wait in one (D-DIR-5), reads of what can be fetched in bulk in another (D-DIR-7); when
// a window closes every slot in it is requested once, over the fewest levels.

import type { Cache } from './cache.ts';
import type { Asked, Slot, Wait } from './entries.ts';
import type { Env } from './env.ts';
import type { Fetching, Want } from './fetching.ts';
import type { Planned } from './planning.ts';
import { plan } from './planning.ts';
import { isSlotStale } from './rules/freshness.ts';
import type { Settings } from './rules/options.ts';

export interface Bulk {
  /** A directive asks for a newer answer: at the end of its window. */
  want: (slots: readonly Slot[]) => void;
  /** A read asks for an answer: at the end of the task. */
  read: (slot: Slot, asked: Asked) => void;
  /** Requests slots without a window: a resync. */
  request: (slots: readonly Slot[]) => void;
  /** Slots that wait for the directives' window. */
  pending: () => number;
  dispose: () => void;
}

/** Open while anything is in it. */
interface CoalescingWindow {
  readonly slots: Set<Slot>;
  /** How long it stays open. */
  readonly ms: () => number;
  timer: unknown;
}

/** One request for a slot and all that count on it: as visible and as owed as any of them. */
function wantOf({ slot, needs }: Planned, isResync: boolean): Want {
  let silent = true;
  let forced = false;
  let owed = false;
  for (const { wait } of needs === null ? [slot] : [slot, ...needs]) {
    const isOwed = isResync || wait === null || wait.owed;
    silent &&= !isOwed && wait.silent;
    forced ||= wait?.forced === true;
    owed ||= isOwed;
  }
  return { slot, silent, forced, owed, needs };
}

export function createBulk(env: Env, cache: Cache, fetching: Fetching, settings: () => Settings): Bulk {
  const windowOf = (ms: () => number): CoalescingWindow => ({ slots: new Set(), ms, timer: null });
  const directives = windowOf(() => settings().bulk.delayMs + env.random() * settings().bulk.jitterMs);
  const reads = windowOf(() => settings().bulk.readWindowMs);
  /** What is being requested now, and has not come back into a window meanwhile. */
  let leaving = new Set<Slot>();
  let isDisposed = false;

  /** The first slot opens the window; later ones do not extend it. */
  function enter(window: CoalescingWindow, slot: Slot, wait: Wait): void {
    if (isDisposed) return;
    cache.wait(slot, wait);
    const isOpen = window.slots.size > 0;
    window.slots.add(slot);
    if (isOpen) return;
    const ms = window.ms();
    if (ms > 0) window.timer = env.setTimeout(() => leave(window), ms);
    // The end of the current task; fake timers such as those of Jest hold `queueMicrotask` as well.
    else void Promise.resolve().then(() => leave(window));
  }

  function leave(window: CoalescingWindow): void {
    const waiting = [...window.slots];
    window.slots.clear();
    window.timer = null;
    cache.batch(() => {
      const now = env.now();
      const needed = waiting.filter((slot) => {
        const { wait } = slot;
        if (wait === null) return false;
        // An inline result may have come meanwhile: then nothing is needed any more.
        if (wait.forced || isSlotStale(slot, now)) return true;
        cache.wait(slot, null);
        return false;
      });
      request(needed, false);
    });
  }

  function request(slots: readonly Slot[], isResync: boolean): void {
    const before = leaving;
    const own = (leaving = new Set(slots));
    fetching.begin(plan(slots).map((planned) => wantOf(planned, isResync)));
    leaving = before;
    // What begins has left its window already; the others wait for a request that is under way or converts.
    for (const slot of own) if (slot.wait !== null) cache.wait(slot, null);
  }

  return {
    want(slots) {
      cache.batch(() => {
        for (const slot of slots) {
          // A fetch function may bring directives itself, about what is requested with it.
          const isLeaving = leaving.delete(slot);
          if (slot.wait === null || isLeaving) {
            enter(directives, slot, { read: false, silent: true, forced: false, owed: true });
          } else if (!slot.wait.owed) cache.wait(slot, { ...slot.wait, owed: true, silent: false });
        }
      });
    },
    read(slot, { silent, forced }) {
      enter(reads, slot, { read: true, silent, forced, owed: false });
    },
    request(slots) {
      cache.batch(() => request(slots, true));
    },
    pending: () => directives.slots.size,
    dispose() {
      isDisposed = true;
      for (const window of [directives, reads]) {
        if (window.timer !== null) env.clearTimeout(window.timer);
        for (const slot of window.slots) cache.wait(slot, null);
        window.slots.clear();
      }
    },
  };
}
