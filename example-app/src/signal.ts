// Tells whoever listens that something has changed; what it is now, they ask themselves. For the small things
// that the page knows besides its data.

export interface Signal {
  /** As `useSyncExternalStore` wants it; returns what ends it. */
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
