// Limits how long a change waits for a request in flight. Without a limit, a hung request would hide the change
// forever. Each abandoned request doubles the limit of the next one, so that a slow request completes even if
// changes arrive continuously.

import { unref } from '../platform/unref.ts';
import type { AdapterEnv } from './gathering.ts';

const patienceMs = 30_000;

export interface Patience<K> {
  /** A change waits for the request of this key, which began at this time (milliseconds since the epoch). */
  readonly wait: (key: K, begunAt: number) => void;
  /** The request ended, or no change waits for it. */
  readonly stop: (key: K) => void;
  /** The request succeeded, so the next one gets the default limit. */
  readonly restore: (key: K) => void;
  readonly end: () => void;
}

export function createPatience<K>(env: AdapterEnv, giveUp: (key: K) => void): Patience<K> {
  const timers = new Map<K, unknown>();
  const givenUp = new Map<K, number>();

  function stop(key: K): void {
    if (timers.has(key)) env.clearTimeout(timers.get(key));
    timers.delete(key);
  }

  return {
    wait(key, begunAt) {
      if (timers.has(key)) return;
      const times = givenUp.get(key) ?? 0;
      const run = (): void => {
        timers.delete(key);
        givenUp.set(key, times + 1);
        giveUp(key);
      };
      const timer = env.setTimeout(run, Math.max(0, begunAt + patienceMs * 2 ** times - env.now()));
      unref(timer);
      timers.set(key, timer);
    },
    stop,
    restore: (key) => void givenUp.delete(key),
    end() {
      for (const key of Array.from(timers.keys())) stop(key);
    },
  };
}
