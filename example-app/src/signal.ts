// Notifies subscribers that a small piece of page state changed. Subscribers read the new value themselves.

export interface Signal {
  /** The `subscribe` function for `useSyncExternalStore`. It returns a function that unsubscribes. */
  subscribe: (listener: () => void) => () => void;
  announce: () => void;
}

export function createSignal(): Signal {
  const listeners = new Set<() => void>();
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    announce() {
      for (const listener of [...listeners]) listener();
    },
  };
}
