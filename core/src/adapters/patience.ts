// A request that hangs is not waited for without end: what changed since it began would never be asked for. One that is only slow gets
// twice the time after each that was given up, so that a steady stream of changes does not keep its answer away.

import { unref } from '../platform/unref.ts';
import type { AdapterEnv } from './gathering.ts';

const patienceMs = 30_000;

export interface Patience<K> {
  /** Something waits for the request of this key, which began at a moment: milliseconds since the epoch. */
  readonly wait: (key: K, begunAt: number) => void;
  /** The request has ended, or nobody waits for it any more. */
  readonly stop: (key: K) => void;
  /** It was answered: the next one has the usual time. */
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
      givenUp.clear();
    },
  };
}
