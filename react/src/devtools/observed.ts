// A snapshot of the data layer as a store. It is taken only while the panel is open, and less often if it takes long.

import type { DataLayer } from '@edict/core';
import type { Store } from '../binding/useStore.ts';

/** A snapshot and the time at which it was taken, in milliseconds since the epoch. */
export interface Observed<S> {
  readonly value: S;
  readonly takenAt: number;
}

/** The shortest time between two snapshots. */
const paceMs = 250;
/** The interval at which ages and freshness are updated without an event. */
const tickMs = 1000;
/** A snapshot may use at most one part in this many of the time. */
const thrift = 8;

export function createObserved<S>(dl: DataLayer, take: (dl: DataLayer) => S): Store<Observed<S>> {
  let seen: Observed<S> | null = null;
  let costMs = 0;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let dueAt = 0;
  const listeners = new Set<() => void>();

  function look(): Observed<S> {
    const from = performance.now();
    seen = { value: take(dl), takenAt: Date.now() };
    costMs = performance.now() - from;
    return seen;
  }

  function plan(delayMs: number): void {
    const at = performance.now() + Math.max(delayMs, costMs * thrift);
    if (timer !== null) {
      if (dueAt <= at) return;
      clearTimeout(timer);
    }
    dueAt = at;
    timer = setTimeout(() => {
      timer = null;
      look();
      plan(tickMs);
      for (const listener of listeners) listener();
    }, at - performance.now());
  }

  const lookSoon = (): void => plan(paceMs);

  return {
    getSnapshot: () => seen ?? look(),
    getServerSnapshot: () => seen ?? look(),
    subscribe(callback) {
      listeners.add(callback);
      const ends = [dl.onChange(lookSoon), dl.onLifecycle('*', lookSoon)];
      lookSoon();
      return () => {
        for (const end of ends) end();
        listeners.delete(callback);
        if (listeners.size > 0 || timer === null) return;
        clearTimeout(timer);
        timer = null;
      };
    },
  };
}
