// Gives callbacks with a stable identity access to the newest committed render.

import * as React from 'react';

/**
 * An effect that comes before any hook of the same commit subscribes, which is its first read, and before the effects of the components
 * below. In development, React 17 and 18 warn of a layout effect on a server, where neither kind runs. React Native is not a server, and has a `window`.
 */
export const useEffectBeforeReads: typeof React.useEffect =
  process.env.NODE_ENV !== 'production' && React.version < '19' && typeof window === 'undefined'
    ? React.useEffect
    : React.useLayoutEffect;

/** The value of the newest commit. The reads and effects of the same commit already see it in their callbacks. */
export function useLatest<T>(value: T): { readonly current: T } {
  const latest = React.useRef(value);
  useEffectBeforeReads(() => {
    latest.current = value;
  });
  return latest;
}
