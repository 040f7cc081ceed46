// The coalescing windows. Directives wait in one of them (D-DIR-5), and so do reads of types with `bulkFetch` (D-DIR-7). When a window closes,
// each of its slots is requested once, over the fewest levels. Items wait for the lists of their batch that may contain them.

import type { Cache } from '../cache/store.ts';
import type { Def, Demand, Flight, Slot, Wait } from '../cache/entry.ts';
import { isBusy, jointDemand, ordinary, scattered } from '../cache/entry.ts';
import type { Env } from '../platform/env.ts';
import type { Fetching, Want } from './requests.ts';
import { plan, type Planned } from '../levels/plan.ts';
import { reaches } from '../levels/graph.ts';
import { isMarked, isSlotStale } from '../cache/staleness.ts';
import type { Settings } from '../config/options.ts';

export interface Bulk {
  /** Requests slots that a directive named, at the end of its window. Must be called within a cache batch. */
  want: (slots: readonly Slot[], isPulled?: boolean) => void;
  /** Requests a slot that was read, at the end of the task. */
  read: (slot: Slot, asked: Demand) => void;
  /** Requests slots together, without a window. */
  request: (slots: readonly Slot[], demand: Demand) => void;
  /** An attempt of a list has ended: requests the items that it does not contain. */
  onAttempt: (flight: Flight) => void;
  /** Slots that wait for the directives' window. */
  pending: () => number;
  dispose: () => void;
}

interface CoalescingWindow {
  slots: Set<Slot>;
  /** How long it stays open. */
  readonly ms: () => number;
  isOpen: boolean;
  timer: unknown;
}

const none: readonly Slot[] = [];

/** The shortest time for which scattered reads are collected, in milliseconds. */
const scatteredMs = 5;

/** The waits of directives and of most reads. */
const ofDirective: Wait = { read: false, silent: true, forced: false, owed: true };
const ofRead: Wait = { read: true, ...ordinary };

/** How a slot that leaves its window is requested. Requests of directives are visible, also if no read waits for them. */
function demandOf({ wait }: Slot): Demand {
  const owed = wait === null || wait.owed;
  return { silent: !owed && wait.silent, forced: wait?.forced === true, owed };
}

/** One request for a slot and all slots that depend on its conversions. */
function wantOf({ slot, needs }: Planned): Want {
  return { slot, needs, ...(needs ?? none).map(demandOf).reduce(jointDemand, demandOf(slot)) };
}

/** Whether the response of a list may contain this level of an item. */
const mayContain = ({ of }: Def, { entry: { def }, level }: Slot): boolean =>
  of?.def() === def && (of.level === level || reaches(def.graph, of.level, level));

/** An item that waits for lists of its batch. */
interface Waiting {
  /** Those whose first attempt has not ended. */
  readonly lists: Set<Slot>;
  /** The order of the batch. Older requests of the lists do not count. */
  readonly since: number;
}

interface Needs {
  env: Env;
  cache: Cache;
  fetching: Fetching;
  settings: () => Settings;
}

export function createBulk({ env, cache, fetching, settings }: Needs): Bulk {
  const windowOf = (ms: () => number): CoalescingWindow => ({
    slots: new Set(),
    ms,
    isOpen: false,
    timer: null,
  });
  const directives = windowOf(() => settings().bulk.delayMs + env.random() * settings().bulk.jitterMs);
  const pulled = windowOf(() => settings().bulk.pullDelayMs);
  const reads = windowOf(() => settings().bulk.readWindowMs);
  const windows = [directives, pulled, reads];
  /** The slots that are being requested right now. A directive that names one meanwhile moves it back into a window. */
  let leaving = new Set<Slot>();
  const waiting = new Map<Slot, Waiting>();
  let isDisposed = false;

  /** The first slot opens the window; later ones do not extend it. */
  function enter(window: CoalescingWindow, slot: Slot, wait: Wait, leastMs = 0): void {
    if (isDisposed) return;
    cache.wait(slot, wait);
    window.slots.add(slot);
    if (window.isOpen) return;
    window.isOpen = true;
    const ms = Math.max(window.ms(), leastMs);
    if (ms > 0) window.timer = env.setTimeout(() => leave(window), ms);
    // The end of the current task; fake timers such as those of Jest hold `queueMicrotask` as well.
    else void Promise.resolve().then(() => leave(window));
  }

  /** It waits neither for a window nor for a list any more. */
  function remove(slot: Slot): void {
    waiting.delete(slot);
    for (const { slots } of windows) slots.delete(slot);
  }

  function leave(window: CoalescingWindow): void {
    const { slots } = window;
    window.slots = new Set();
    window.isOpen = false;
    window.timer = null;
    cache.batch(() => {
      const now = env.now();
      for (const slot of slots) {
        const { wait } = slot;
        if (wait !== null && (wait.forced || isSlotStale(slot, now))) continue;
        // An inline result may have arrived meanwhile.
        slots.delete(slot);
        cache.wait(slot, null);
      }
      request(slots);
    });
  }

  function request(slots: Set<Slot>): void {
    const before = leaving;
    const since = cache.nextOrdinal();
    for (const slot of slots) remove(slot);
    const lists = [...slots].filter(({ entry }) => entry.def.of !== null);
    const starting: Want[] = [];
    const later: { slots: readonly Slot[]; lists: readonly Slot[] }[] = [];
    for (const planned of plan([...slots])) {
      const sources = lists.filter(({ entry }) => mayContain(entry.def, planned.slot));
      if (sources.length === 0) starting.push(wantOf(planned));
      else later.push({ slots: [planned.slot, ...(planned.needs ?? none)], lists: sources });
    }
    for (const { slots: items, lists: sources } of later)
      for (const item of items) {
        slots.delete(item);
        waiting.set(item, { lists: new Set(sources), since });
        cache.wait(item, { read: item.wait?.read === true, ...demandOf(item) });
      }
    leaving = slots;
    fetching.begin(starting);
    leaving = before;
    // What begins has left its window already; the others wait for a request that is in flight or converts.
    for (const slot of slots) if (slot.wait !== null) cache.wait(slot, null);
  }

  function onAttempt({ slot: list, ordinal }: Flight): void {
    if (waiting.size === 0) return;
    const missing = new Set<Slot>();
    for (const [item, { lists, since }] of waiting) {
      // The request of the batch may follow one that was in flight, or an inline result may have replaced it.
      if (ordinal < since && isBusy(list)) continue;
      if (!lists.delete(list) || lists.size > 0) continue;
      waiting.delete(item);
      const { wait } = item;
      if (wait === null) continue;
      const isContained = item.answered > since && !isMarked(item);
      if (wait.forced || (!isContained && isSlotStale(item, env.now()))) missing.add(item);
      else cache.wait(item, null);
    }
    if (missing.size > 0) request(missing);
  }

  return {
    want(slots, isPulled = false) {
      for (const slot of slots) {
        // A fetch function may apply directives itself, for entries that are requested with it.
        const isLeaving = leaving.delete(slot);
        if (slot.wait === null || isLeaving) enter(isPulled ? pulled : directives, slot, ofDirective);
        else if (isPulled && !pulled.slots.has(slot)) {
          remove(slot);
          enter(pulled, slot, { ...slot.wait, ...jointDemand(slot.wait, ofDirective) });
        } else if (!slot.wait.owed) cache.wait(slot, { ...slot.wait, owed: true, silent: false });
      }
    },
    read(slot, asked) {
      if (asked === scattered) enter(reads, slot, ofRead, scatteredMs);
      else enter(reads, slot, asked === ordinary ? ofRead : { read: true, ...asked });
    },
    request(slots, demand) {
      cache.batch(() => {
        for (const slot of slots)
          cache.wait(slot, { read: slot.wait?.read === true, ...jointDemand(slot.wait ?? demand, demand) });
        request(new Set(slots));
      });
    },
    onAttempt,
    pending: () =>
      [directives, pulled].flatMap(({ slots }) => [...slots]).filter(({ wait }) => wait !== null).length,
    dispose() {
      isDisposed = true;
      for (const window of windows) {
        if (window.timer !== null) env.clearTimeout(window.timer);
        for (const slot of window.slots) cache.wait(slot, null);
        window.slots.clear();
      }
      for (const item of waiting.keys()) cache.wait(item, null);
      waiting.clear();
    },
  };
}
