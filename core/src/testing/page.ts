// The page of a simulated client: its visibility, its network state, and the back/forward cache.

import type { Env, PageChange } from '@edict/core';

/** The simulated page. */
export interface SimulatedPage {
  /** Sets `document.visibilityState`. */
  setVisible: (isVisible: boolean) => void;
  /** Sets `navigator.onLine`. The link itself does not change. */
  setOnline: (isOnline: boolean) => void;
  /** Emits `pagehide`. */
  hide: () => void;
  /** Emits `pageshow` from the back/forward cache. */
  restore: () => void;
  /** The number of listeners that data layers have added. */
  listeners: () => number;
}

export function createPage(): { page: SimulatedPage; env: NonNullable<Env['page']> } {
  let isVisible = true;
  let isOnline = true;
  const listeners = new Set<{ run: (what: PageChange) => void }>();
  const emit = (what: PageChange): void => {
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
        emit('visibility');
      },
      setOnline(next) {
        if (next === isOnline) return;
        isOnline = next;
        emit('network');
      },
      hide: () => emit('hide'),
      restore: () => emit('restore'),
      listeners: () => listeners.size,
    },
  };
}
