// Promises that resolve when requests have settled. Each waiter is stored with the entry that it waits for, so the end of a request
// costs nothing for those that wait for other entries.

import type { Entry } from '../cache/entry.ts';

export interface SettledWaiters {
  /**
   * Resolves when `next` returns no entry. Until then, `next` returns an entry to wait for, and is called again when a
   * request of that entry has ended. Disposing the data layer ends all requests (D-FETCH-8).
   * @param result returns the result of the promise. It is called in the task that notifies the subscribers
   * @param of returns what the other two receive. If it throws, the promise rejects
   */
  until: <A, R = void>(
    next: (of: A) => Entry | null | void,
    result?: (of: A) => R,
    of?: () => A,
  ) => Promise<R>;
  /** Requests of these entries have ended. */
  check: (ended: readonly Entry[]) => void;
}

/** One object without closures, because thousands of reads may wait. */
interface Waiter {
  readonly next: (of: unknown) => Entry | null | void;
  readonly result?: (of: unknown) => unknown;
  readonly of: unknown;
  readonly resolve: (result: unknown) => void;
}

export function createSettledWaiters(): SettledWaiters {
  const waiters = new Map<Entry, Waiter[]>();

  function wait(waiter: Waiter): void {
    const { next, result, of, resolve } = waiter;
    const entry = next(of);
    if (!entry) return resolve(result?.(of));
    const others = waiters.get(entry);
    if (others) others.push(waiter);
    else waiters.set(entry, [waiter]);
  }

  return {
    // The types of the arguments are for the callers.
    until: (next, result, of) =>
      new Promise((resolve) => wait({ next, result, of: of?.(), resolve } as never)),
    check(ended) {
      for (const entry of ended) {
        const own = waiters.get(entry);
        waiters.delete(entry);
        own?.forEach(wait);
      }
    },
  };
}
