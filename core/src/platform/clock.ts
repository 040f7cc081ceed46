// The time of a data layer. It is counted from the layer's start: engines keep numbers so small without a box of their own, and
// every entry has two. Within one synchronous batch no time passes, so the world is asked once: on a cached read, asking the
// platform for the time would be the dearest step.

import type { Env } from './env.ts';

export interface Clock {
  /** A moment: milliseconds since the start of the data layer; the same throughout a batch. */
  now: () => number;
  /** A moment as milliseconds since the epoch. */
  sinceEpoch: (moment: number) => number;
  /** The outermost batch begins or ends. */
  hold: () => void;
  release: () => void;
}

export function createClock(world: Env): Clock {
  let start = world.now();
  let last = 0;
  let isHeld = false;
  let held: number | null = null;

  function moment(): number {
    // Where the clock was set back, no time has passed: what is fresh for ten seconds must not be so for an hour.
    const now = world.now();
    const ms = Math.max(last, now - start);
    start = now - ms;
    last = ms;
    const whole = ms | 0; // The form without a box, for the first 24 days.
    return whole === ms ? whole : ms;
  }

  return {
    now() {
      return isHeld ? (held ??= moment()) : moment();
    },
    sinceEpoch: (at) => start + at,
    hold() {
      isHeld = true;
      held = null;
    },
    release() {
      isHeld = false;
    },
  };
}
