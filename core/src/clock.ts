// The time of a batch. Within one synchronous batch no time passes, so the world is asked once: on a cached read, asking the
// platform for the time would be the dearest step.

import type { Env } from './env.ts';

export interface Clock {
  /** Milliseconds since the epoch; the same throughout a batch. */
  now: () => number;
  /** The outermost batch begins or ends. */
  hold: () => void;
  release: () => void;
}

export function createClock(env: Env): Clock {
  let isHeld = false;
  let moment = Number.NaN;
  return {
    now() {
      if (!isHeld) return env.now();
      if (moment !== moment) moment = env.now(); // NaN alone differs from itself: not asked yet.
      return moment;
    },
    hold() {
      isHeld = true;
      moment = Number.NaN;
    },
    release() {
      isHeld = false;
    },
  };
}
