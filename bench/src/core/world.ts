// Time without waiting. The timers of the process are replaced, so that a library's windows, debounces and clean-ups cost
// what their code costs and nothing else, and every workload runs to its end within one synchronous, timeable call.

import { setFlagsFromString } from 'node:v8';

interface Timer {
  run: () => void;
  bucket: Set<Timer>;
}

setFlagsFromString('--allow-natives-syntax');
// V8's own call that an event loop makes between tasks; only callable outside of a microtask.
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

/** Takes over the process's timers. Before the first library is used. */
export function installVirtualTime(): void {
  // What libraries ask of a timer is to be set and cleared.
  Object.assign(globalThis, { setTimeout: setVirtualTimeout, clearTimeout: clearVirtualTimeout });
}

/** Runs every microtask that is due: the end of a task. */
export const endTask = (): void => runMicrotasks();

function nextDue(): number {
  let next = Infinity;
  for (const [due, bucket] of buckets) {
    if (bucket.size === 0) buckets.delete(due);
    else if (due < next) next = due;
  }
  return next;
}

/** Lets virtual milliseconds pass: timers fire in order, each in a task of its own. */
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

/** Lets time pass until nothing is due within the next `quietMs`. Clean-up timers further away stay. */
export function settle(quietMs = 120): void {
  runMicrotasks();
  for (;;) {
    const due = nextDue();
    if (due - now > quietMs) return;
    pass(due - now);
  }
}

/** Forgets every timer: between two workloads. */
export function forgetTimers(): void {
  buckets.clear();
}
