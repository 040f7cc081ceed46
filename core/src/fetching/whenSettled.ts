// Promises for "it has settled". A waiter is a question that is asked again whenever something ended.

export interface Settling {
  /** Resolves as soon as the question is answered with yes; at once when it already is. Never rejects. */
  until: (isDone: () => boolean) => Promise<void>;
  /** Something ended: ask again. */
  check: () => void;
  /** Resolves all (D-FETCH-8). */
  dispose: () => void;
}

export function createSettling(): Settling {
  let waiters: { isDone: () => boolean; resolve: () => void }[] = [];
  let isDisposed = false;

  return {
    until(isDone) {
      if (isDisposed || isDone()) return Promise.resolve();
      return new Promise((resolve) => waiters.push({ isDone, resolve }));
    },
    check() {
      if (waiters.length === 0) return;
      waiters = waiters.filter(({ isDone, resolve }) => {
        if (!isDone()) return true;
        resolve();
        return false;
      });
    },
    dispose() {
      isDisposed = true;
      for (const { resolve } of waiters) resolve();
      waiters = [];
    },
  };
}
