// Promises that resolve when requests have settled. Each waiter is stored with the entry that it waits for, so the end of a request
// costs nothing for those that wait for other entries.

export interface Settling<Entry> {
  /**
   * Resolves when `next` returns null. Otherwise `next` returns an entry that is awaited, and is called again when something of that
   * entry has ended. Never rejects.
   */
  until: (next: () => Entry | null) => Promise<void>;
  /** The same with a callback, which is called in the task that notifies the subscribers. */
  onSettled: (next: () => Entry | null, callback: () => void) => void;
  /** Resolves when nothing is in flight or queued. Never rejects. */
  untilIdle: () => Promise<void>;
  /** Something of these entries has ended. */
  check: (ended: readonly Entry[]) => void;
  /** Resolves all promises, and from now on every promise immediately (D-FETCH-8). */
  dispose: () => void;
}

interface Waiter<Entry> {
  readonly next: () => Entry | null;
  readonly resolve: () => void;
}

export function createSettling<Entry>(isIdle: () => boolean): Settling<Entry> {
  const waiters = new Map<Entry, Waiter<Entry>[]>();
  let idle: (() => void)[] = [];
  let isDisposed = false;

  function place(waiter: Waiter<Entry>): void {
    const entry = isDisposed ? null : waiter.next();
    if (entry === null) return waiter.resolve();
    const others = waiters.get(entry);
    if (others === undefined) waiters.set(entry, [waiter]);
    else others.push(waiter);
  }

  function resolveIdle(): void {
    const resolving = idle;
    idle = [];
    for (const resolve of resolving) resolve();
  }

  return {
    until: (next) => new Promise((resolve) => place({ next, resolve })),
    onSettled: (next, resolve) => place({ next, resolve }),
    untilIdle: () =>
      isDisposed || isIdle() ? Promise.resolve() : new Promise((resolve) => idle.push(resolve)),
    check(ended) {
      if (idle.length > 0 && isIdle()) resolveIdle();
      if (waiters.size === 0) return;
      for (const entry of ended) {
        const own = waiters.get(entry);
        if (own === undefined) continue;
        waiters.delete(entry);
        own.forEach(place);
      }
    },
    dispose() {
      isDisposed = true;
      resolveIdle();
      const all = [...waiters.values()].flat();
      waiters.clear();
      all.forEach(place);
    },
  };
}
