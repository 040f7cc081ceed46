// Data that enters a cache without a request, for example from a rendered page or a persister. Earlier directives
// could not mark this data, so its date is compared with the recorded changes. The data layer treats a state
// without cursors the same way (D-REACT-10).

import type { Concern } from './keys.ts';

/** How many changes are remembered. */
const mostRemembered = 1000;

export interface Arrivals {
  /** Records a change of these keys. */
  note: (concern: Pick<Concern, 'includes'>) => void;
  /** Whether a change may have named this key after `since`, in milliseconds since the epoch. */
  isNamedSince: (key: unknown, since: number) => boolean;
}

/** Starts with the adapter's subscription. `noteRequests` knows whether earlier changes may be missing. */
export function createArrivals(now: () => number): Arrivals {
  const noted: { readonly at: number; readonly includes: Concern['includes'] }[] = [];
  /** Changes up to this time have been forgotten. */
  let forgottenUntil = -Infinity;

  return {
    note({ includes }) {
      noted.push({ at: now(), includes });
      if (noted.length > mostRemembered) forgottenUntil = noted.shift()?.at ?? forgottenUntil;
    },
    isNamedSince: (key, since) =>
      since < forgottenUntil || noted.some(({ at, includes }) => at > since && includes(key)),
  };
}
