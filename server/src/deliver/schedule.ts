// Many deadlines with one timer (D-HUB-4). It is a binary heap by deadline. Each item stores its index, so that it
// can be removed.

import type { HubEnv } from '../env.ts';

/** Something with a deadline. Only the schedule writes the two fields. */
export interface Scheduled {
  dueAt: number;
  /** The index in the heap, or -1. */
  heapIndex: number;
}

/** Deadlines of one hub. */
export interface Schedule<T extends Scheduled> {
  /** Sets or changes the deadline of an item, in milliseconds since the epoch. */
  readonly put: (item: T, dueAt: number) => void;
  readonly remove: (item: T) => void;
  /** Stops the timer. */
  readonly stop: () => void;
}

/** Limits of one turn of the event loop. The rest continues in the next turn. */
const maxPerTurn = 250;
const maxMsPerTurn = 4;

/** When the clock is this much behind the time at which the timer was set, it was set back. */
const clockStepMs = 1000;

/**
 * Creates a schedule. `run` is called once for each item that is due, after the item was removed. It may add the
 * item again. When it throws, the other items still run.
 */
export function createSchedule<T extends Scheduled>(
  env: HubEnv,
  run: (item: T, now: number) => void,
): Schedule<T> {
  const heap: T[] = [];
  let timer: unknown = null;
  let timerAt = Infinity;
  /** The time at which the timer was set. */
  let armedAt = -Infinity;
  let isRunning = false;

  function place(item: T, slot: number): void {
    heap[slot] = item;
    item.heapIndex = slot;
  }

  function rise(item: T, from: number): void {
    let slot = from;
    while (slot > 0) {
      const above = (slot - 1) >> 1;
      const other = heap[above];
      if (other === undefined || other.dueAt <= item.dueAt) break;
      place(other, slot);
      slot = above;
    }
    place(item, slot);
  }

  function sink(item: T, from: number): void {
    let slot = from;
    for (;;) {
      let below = slot * 2 + 1;
      let other = heap[below];
      const right = heap[below + 1];
      if (right !== undefined && other !== undefined && right.dueAt < other.dueAt) {
        other = right;
        below += 1;
      }
      if (other === undefined || other.dueAt >= item.dueAt) break;
      place(other, slot);
      slot = below;
    }
    place(item, slot);
  }

  function remove(item: T): void {
    const { heapIndex } = item;
    if (heapIndex === -1) return;
    item.heapIndex = -1;
    const last = heap.pop();
    if (last === undefined || last === item) return;
    if (last.dueAt < item.dueAt) rise(last, heapIndex);
    else sink(last, heapIndex);
  }

  /** The timer fires at the earliest deadline or before it. When it fires too early, it is only set again. */
  function arm(): void {
    const earliest = heap[0]?.dueAt ?? Infinity;
    if (isRunning || earliest >= timerAt) return;
    const now = env.now();
    // An item that was added after the clock was set back has the earliest deadline, and replaces the timer of the others here.
    if (now < armedAt - clockStepMs) forgetDeadlines(now);
    if (timer !== null) env.clearTimeout(timer);
    armedAt = now;
    timerAt = heap[0]?.dueAt ?? Infinity;
    timer = env.setTimeout(serve, Math.max(0, Math.ceil(timerAt - now)));
  }

  /** The clock was set back, so old deadlines may be hours away. Every item is due now and gets a new deadline. */
  function forgetDeadlines(now: number): void {
    for (const item of heap) item.dueAt = Math.min(item.dueAt, now); // Keeps the order of the heap.
  }

  function serve(): void {
    const began = env.now();
    timer = null;
    timerAt = Infinity;
    isRunning = true;
    let now = began;
    let served = 0;
    for (let item = heap[0]; item !== undefined && item.dueAt <= now; item = heap[0]) {
      if (served === maxPerTurn || now - began >= maxMsPerTurn) {
        env.nextTurn(serve);
        return; // `isRunning` stays true, so the timer is not set meanwhile.
      }
      remove(item);
      try {
        run(item, now);
      } catch (error) {
        env.log('error', 'A deadline could not be served', error);
      }
      served += 1;
      now = env.now();
    }
    isRunning = false;
    arm();
  }

  return {
    put(item, dueAt) {
      remove(item);
      item.dueAt = dueAt;
      rise(item, heap.length);
      arm();
    },
    remove,
    stop() {
      if (timer !== null) env.clearTimeout(timer);
    },
  };
}
