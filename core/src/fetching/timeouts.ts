// The open calls, and their time-outs without a timer a request: requests with the same limit end in the order they began,
// so that one timer per limit is enough (D-REG-3).

import type { Env } from '../platform/env.ts';

/** What has a time limit, and its place among the others: a map would hash it for every step of its short life. */
export class Timed {
  /** Where it stands; null before it is opened, and once it is closed. */
  queue: Queue | null = null;
  dueAt: number = Infinity;
  before: Timed = this;
  after: Timed = this;

  get isOpen(): boolean {
    return this.queue !== null;
  }
}

/** The open ones with one limit: a ring that begins and ends with the queue itself, which is never due. */
class Queue extends Timed {
  timer: unknown = null;
}

export interface Deadlines<T extends Timed> {
  open: (timed: T, limitMs: number) => void;
  /** False for one that is not open: it was closed before. */
  close: (timed: T) => boolean;
  /** Closes all, and says which there were. None is opened any more. */
  dispose: () => T[];
}

/** @param expire called with what is past its limit, and closes it; a limit of 0 never passes. */
export function createDeadlines<T extends Timed>(env: Env, expire: (timed: T) => void): Deadlines<T> {
  const queues = new Map<number, Queue>();
  let isDisposed = false;

  function arm(queue: Queue, waitMs: number): void {
    const { dueAt } = queue.after;
    const timer = env.setTimeout(() => {
      // The timer is believed, also by a clock that stands still, as in a test that has replaced one of the two.
      const now = Math.max(env.now(), dueAt);
      while (queue.after.dueAt <= now) expire(queue.after as T); // The queue itself is never due, and all else in its ring is a T.
      // Where all had ended in between there is none, and what came after them has its own.
      if (queue.timer === timer) arm(queue, queue.after.dueAt - now);
    }, waitMs);
    queue.timer = timer;
  }

  function close(timed: T): boolean {
    const { queue, before, after } = timed;
    if (queue === null) return false;
    timed.queue = null;
    before.after = after;
    after.before = before;
    timed.before = timed.after = timed; // Whoever keeps it keeps none of the others.
    if (queue.after === queue) {
      if (queue.timer !== null) env.clearTimeout(queue.timer);
      queue.timer = null;
    }
    return true;
  }

  return {
    open(timed, limitMs) {
      if (isDisposed) return;
      let queue = queues.get(limitMs);
      if (queue === undefined) queues.set(limitMs, (queue = new Queue()));
      timed.queue = timed.after = queue;
      timed.dueAt = env.now() + limitMs;
      timed.before = queue.before;
      queue.before.after = queue.before = timed;
      if (limitMs > 0 && queue.timer === null) arm(queue, limitMs);
    },
    close,
    dispose() {
      isDisposed = true;
      const all: T[] = [];
      for (const queue of queues.values()) {
        while (queue.after !== queue) {
          const first = queue.after as T; // As above.
          all.push(first);
          close(first);
        }
      }
      return all;
    },
  };
}
