// Data that enters a cache without a request, for example from a rendered page or a persister. Earlier directives
// could not mark this data, so its date is compared with the recorded changes. The data layer treats a state
// without cursors the same way (D-REACT-10).

import type { Concern } from './keys.ts';

/** How long changes are remembered, in milliseconds, and how many of them. */
const rememberedMs = 120_000;
const mostRemembered = 1000;

export interface Arrivals {
  /** Records a change of these keys. */
  note: (concern: Pick<Concern, 'includes'>) => void;
  /** Whether a change may have named this key after `since`, in milliseconds since the epoch. */
  isNamedSince: (key: unknown, since: number) => boolean;
}

/** Starts with the adapter's subscription. */
export function createArrivals(now: () => number): Arrivals {
  const noted: { readonly at: number; readonly includes: Concern['includes'] }[] = [];
  /** Changes up to this time have been forgotten. */
  let forgottenUntil = now() - rememberedMs;

  return {
    note({ includes }) {
      const at = now();
      noted.push({ at, includes });
      const kept = noted.findIndex((one) => one.at >= at - rememberedMs);
      for (const one of noted.splice(0, Math.max(kept, noted.length - mostRemembered)))
        forgottenUntil = one.at;
    },
    isNamedSince: (key, since) =>
      since < forgottenUntil || noted.some(({ at, includes }) => at > since && includes(key)),
  };
}
