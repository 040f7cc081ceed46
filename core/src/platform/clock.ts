// The time of a data layer, counted from its start. It stands still within a synchronous batch, so the platform's clock is read once per
// batch.

import type { Env } from './env.ts';

export interface Clock {
  /** Milliseconds since the start of the data layer; the same throughout a batch. */
  now: () => number;
  /** Such a time as milliseconds since the epoch. */
  sinceEpoch: (time: number) => number;
  /** The outermost batch begins. */
  freezeTime: () => void;
  /** The outermost batch ends. */
  release: () => void;
}

export function createClock(world: Env): Clock {
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
    now: () => held ?? read(),
    sinceEpoch: (time) => start + time,
    freezeTime: () => void (held = read()),
    release: () => void (held = null),
  };
}
