// Promises that resolve when requests have settled. Each waiter is stored with the entry that it waits for, so the end of a request
// costs nothing for those that wait for other entries.

export interface SettledWaiters<Entry> {
  /**
   * Resolves when `next` returns null. Until then, `next` returns an entry to wait for, and is called again when a
   * request of that entry has ended. Never rejects.
   */
  until: (next: () => Entry | null) => Promise<void>;
  /** The same with a callback, which is called in the task that notifies the subscribers. */
  onSettled: (next: () => Entry | null, callback: () => void) => void;
  /** Requests of these entries have ended. */
  check: (ended: readonly Entry[]) => void;
  /** Resolves all promises. After the signal has aborted, every promise resolves immediately (D-FETCH-8). */
  end: () => void;
}

export function createSettledWaiters<Entry>(disposed: AbortSignal): SettledWaiters<Entry> {
  const waiters = new Map<Entry, (() => void)[]>();

  function onSettled(next: () => Entry | null, callback: () => void): void {
    const entry = disposed.aborted ? null : next();
    if (entry === null) return callback();
    const waiter = (): void => onSettled(next, callback);
    const others = waiters.get(entry);
    if (others === undefined) waiters.set(entry, [waiter]);
    else others.push(waiter);
  }

  function check(ended: Iterable<Entry>): void {
    for (const entry of ended) {
      const own = waiters.get(entry) ?? [];
      waiters.delete(entry);
      for (const waiter of own) waiter();
    }
  }

  return {
    until: (next) => new Promise((resolve) => onSettled(next, resolve)),
    onSettled,
    check,
    end: () => check([...waiters.keys()]),
  };
}
