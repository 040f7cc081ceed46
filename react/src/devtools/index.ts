import type { ReactElement } from 'react';

/** Shows what the data layer holds and why. */
export function DLDevtools(): ReactElement | null {
  return null;
}
