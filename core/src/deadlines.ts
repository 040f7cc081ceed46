// The open calls, and their time-outs without a timer a request: requests with the same limit end in the order they began,
// so that one timer per limit is enough (D-REG-3).

import type { Env } from './env.ts';

interface Queue<Call> {
  readonly dueAt: Map<Call, number>;
  timer: unknown;
}

export interface Deadlines<Call> {
  add: (call: Call, limitMs: number) => void;
  has: (call: Call, limitMs: number) => boolean;
  /** False for one that is not there: it ended before. */
  remove: (call: Call, limitMs: number) => boolean;
  /** Forgets all, and says which there were. None is taken any more. */
  dispose: () => Call[];
}

/** @param expire called with a call whose limit has passed; a limit of 0 never passes. */
export function createDeadlines<Call>(env: Env, expire: (call: Call) => void): Deadlines<Call> {
  const queues = new Map<number, Queue<Call>>();
  let isDisposed = false;

  function arm(queue: Queue<Call>, waitMs: number): void {
    const timer = env.setTimeout(() => {
      const now = env.now();
      for (const [call, dueAt] of queue.dueAt) {
        if (dueAt > now) break;
        expire(call);
      }
      if (queue.timer !== timer) return; // All had ended in between; what came after them has its own.
      const first = queue.dueAt.values().next();
      if (first.done !== true) arm(queue, first.value - now);
    }, waitMs);
    queue.timer = timer;
  }

  function stop(queue: Queue<Call>): void {
    if (queue.timer !== null) env.clearTimeout(queue.timer);
    queue.timer = null;
  }

  return {
    add(call, limitMs) {
      if (isDisposed) return;
      let queue = queues.get(limitMs);
      if (queue === undefined) queues.set(limitMs, (queue = { dueAt: new Map(), timer: null }));
      queue.dueAt.set(call, env.now() + limitMs);
      if (limitMs > 0 && queue.timer === null) arm(queue, limitMs);
    },
    has: (call, limitMs) => queues.get(limitMs)?.dueAt.has(call) === true,
    remove(call, limitMs) {
      const queue = queues.get(limitMs);
      if (queue === undefined || !queue.dueAt.delete(call)) return false;
      if (queue.dueAt.size === 0) stop(queue);
      return true;
    },
    dispose() {
      isDisposed = true;
      const all = [...queues.values()];
      queues.clear();
      all.forEach(stop);
      return all.flatMap(({ dueAt }) => [...dueAt.keys()]);
    },
  };
}
