// Whether a render hydrates: React asks a store for the server's snapshot only then, and on a server.

import type { Store } from '../binding/source.ts';

export interface HydrationProbe extends Store<null> {
  /** Of the render in which it was asked last. */
  readonly isHydrating: () => boolean;
  /** That render is committed: what comes from now on does not hydrate. */
  readonly committed: () => void;
}

const never = (): (() => void) => () => undefined;

export function createHydrationProbe(): HydrationProbe {
  let isHydrating = false;
  const tell = (is: boolean) => (): null => {
    isHydrating = is;
    return null;
  };
  return {
    isHydrating: () => isHydrating,
    committed: tell(false),
    subscribe: never,
    getSnapshot: tell(false),
    getServerSnapshot: tell(true),
  };
}
