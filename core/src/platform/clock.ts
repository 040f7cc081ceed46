// The time of a data layer, counted from its start. It stands still within a synchronous batch, so the platform's clock is read once per
// batch.

import type { Env } from './env.ts';

/** The environment of a data layer. `now` returns the milliseconds since its start, the same throughout a batch. */
export interface TimedEnv extends Env {
  /** Such a time as milliseconds since the epoch. */
  sinceEpoch: (time: number) => number;
  /** The outermost batch begins. */
  freezeTime: () => void;
  /** The outermost batch ends. */
  release: () => void;
}

export function withOwnTime(world: Env): TimedEnv {
  let start = world.now();
  let last = 0;
  let held: number | null = null;

  function read(): number {
    // When the clock is set back, the time of the data layer stays the same. Otherwise data would remain fresh for
    // too long.
    const now = world.now();
    const age = now - start;
    if (age < last) start = now - last;
    // Engines store a difference of large numbers as an object, for each entry, and an integer without one.
    else last = Number.isInteger(age) ? Math.trunc(age) : age;
    return last;
  }

  return {
    ...world,
    now: () => held ?? read(),
    sinceEpoch: (time) => start + time,
    freezeTime: () => void (held = read()),
    release: () => void (held = null),
  };
}
