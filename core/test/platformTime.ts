// The platform's clock and timers in the time of a simulation, for packages that know no other: React holds fallbacks back and divides
// long renders by the clock. Load this before them, since they keep what they find.

import type { Simulation } from '@edict/core/testing';

type Timer = ReturnType<typeof setTimeout>;
const { setTimeout: begin, clearTimeout: end } = globalThis;
const timers = new Map<unknown, AbortController>();
let sim: Pick<Simulation, 'sleep' | 'now' | 'random'> | null = null;
let tickMs = 0;
let passed = 0;
/** Unlike the platform's own. */
let lastHandle = 1_000_000_000;

function setTimer(run: () => void, ms = 0): unknown {
  if (sim === null) return begin(run, ms);
  const ended = new AbortController();
  sim.sleep(ms, ended.signal).then(run, () => undefined);
  const handle = ++lastHandle;
  timers.set(handle, ended);
  return handle;
}

globalThis.setTimeout = setTimer as unknown as typeof setTimeout; // What React and SWR call it with.
globalThis.clearTimeout = ((handle: Timer | undefined) => {
  const ended = timers.get(handle);
  if (ended === undefined) return end(handle);
  timers.delete(handle);
  ended.abort();
}) as typeof clearTimeout;
// SWR sends its next request in the next frame.
globalThis.requestAnimationFrame = (run) => Number(setTimer(() => run(performance.now()), 16));
performance.now = () => (sim === null ? Date.now() : sim.now() + (passed += sim.random() * tickMs));

/** Runs the platform in the time of this simulation. */
export function liveIn(simulation: typeof sim): void {
  sim = simulation;
  passed = 0;
  timers.clear();
  divideRenders(0);
}

/** Each read of the clock takes up to this many milliseconds, so that React divides long renders. */
export function divideRenders(ms: number): void {
  tickMs = ms;
}
