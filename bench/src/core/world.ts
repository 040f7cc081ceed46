// Virtual time. It replaces the timers of the process, so that windows, debounces, and cleanups of a library cost only the time of their code.
// Every workload runs to its end within one synchronous call, which can be timed.

import { setFlagsFromString } from 'node:v8';

interface Timer {
  run: () => void;
  bucket: Set<Timer>;
}

setFlagsFromString('--allow-natives-syntax');
// The function of V8 that an event loop calls between tasks. It works only outside of a microtask.
const runMicrotasks = new Function('%PerformMicrotaskCheckpoint()') as () => void;

const buckets = new Map<number, Set<Timer>>();
let now = 0;

function setVirtualTimeout(run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): Timer {
  const due = now + Math.max(0, Math.ceil(Number(ms) || 0));
  let bucket = buckets.get(due);
  if (bucket === undefined) buckets.set(due, (bucket = new Set()));
  const timer = { run: args.length === 0 ? run : () => run(...args), bucket };
  bucket.add(timer);
  return timer;
}

function clearVirtualTimeout(timer: Timer | undefined | null): void {
  timer?.bucket?.delete(timer);
}

/** Replaces the timers of the process. Call it before the first use of a library. */
export function installVirtualTime(): void {
  // The libraries only set and clear timers, so an object without the methods of Node is enough.
  Object.assign(globalThis, { setTimeout: setVirtualTimeout, clearTimeout: clearVirtualTimeout });
}

/** Runs all microtasks that are due, as at the end of a task. */
export const endTask = (): void => runMicrotasks();

function nextDue(): number {
  let next = Infinity;
  for (const [due, bucket] of buckets) {
    if (bucket.size === 0) buckets.delete(due);
    else if (due < next) next = due;
  }
  return next;
}

/** Advances virtual time. The timers fire in order, each in a task of its own. */
export function pass(ms: number): void {
  const until = now + ms;
  runMicrotasks();
  for (;;) {
    const due = nextDue();
    if (due > until) break;
    now = due;
    const bucket = buckets.get(due);
    if (bucket === undefined) continue;
    for (const timer of bucket) {
      bucket.delete(timer);
      timer.run();
      runMicrotasks();
    }
  }
  now = until;
}

/** Advances virtual time until no timer is due within the next `quietMs`. Later timers, such as those for cleanups, remain. */
export function settle(quietMs = 120): void {
  runMicrotasks();
  for (;;) {
    const due = nextDue();
    if (due - now > quietMs) return;
    pass(due - now);
  }
}

/** Removes all timers, between two workloads. */
export function forgetTimers(): void {
  buckets.clear();
}
