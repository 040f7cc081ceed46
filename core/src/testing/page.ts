// The page's life: in front or behind, on or off the network, put away and taken out again.

import type { Env, PageChange } from '@edict/core';

/** The simulated page, as a test moves it. */
export interface SimulatedPage {
  /** What `document.visibilityState` says. */
  setVisible: (isVisible: boolean) => void;
  /** What `navigator.onLine` says; the link itself is not touched. */
  setOnline: (isOnline: boolean) => void;
  /** `pagehide`. */
  hide: () => void;
  /** `pageshow` from the back/forward cache. */
  restore: () => void;
  /** How many listeners the data layer holds. */
  listeners: () => number;
}

export function createPage(): { page: SimulatedPage; env: NonNullable<Env['page']> } {
  let isVisible = true;
  let isOnline = true;
  const listeners = new Set<{ run: (what: PageChange) => void }>();
  const tell = (what: PageChange): void => {
    for (const listener of Array.from(listeners)) listener.run(what);
  };
  return {
    env: {
      isVisible: () => isVisible,
      isOnline: () => isOnline,
      onChange(callback) {
        const listener = { run: callback };
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    page: {
      setVisible(next) {
        if (next === isVisible) return;
        isVisible = next;
        tell('visibility');
      },
      setOnline(next) {
        if (next === isOnline) return;
        isOnline = next;
        tell('network');
      },
      hide: () => tell('hide'),
      restore: () => tell('restore'),
      listeners: () => listeners.size,
    },
  };
}
