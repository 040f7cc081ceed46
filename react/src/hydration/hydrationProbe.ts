// Detects whether a render hydrates. React reads the server snapshot of a store only then, and on a server.

import type { Store } from '../binding/useStore.ts';

export interface HydrationProbe extends Store<null> {
  /** For the last render that read the store. */
  readonly isHydrating: () => boolean;
}

const subscribe = (): (() => void) => () => undefined;

export function createHydrationProbe(): HydrationProbe {
  let isHydrating = false;
  const set = (next: boolean) => (): null => {
    isHydrating = next;
    return null;
  };
  return {
    isHydrating: () => isHydrating,
    subscribe,
    getSnapshot: set(false),
    getServerSnapshot: set(true),
  };
}
