// Data that comes into a cache from elsewhere while its adapter listens, such as with a rendered page or from a disk: what was said
// before it came went by it. As the data layer does with a state without cursors (D-REACT-10).

import { rememberedMs } from '../hydration/ages.ts';
import type { Concern } from './keys.ts';

const mostRemembered = 1000;

export interface Arrivals {
  /** A change was heard that is about these keys. */
  note: (concern: Pick<Concern, 'includes'>) => void;
  /** Whether something may have been said of this key since a moment, milliseconds since the epoch. */
  isNamedSince: (key: unknown, moment: number) => boolean;
}

/** Of an adapter that begins to listen now. */
export function createArrivals(now: () => number): Arrivals {
  const noted: { readonly at: number; readonly includes: Concern['includes'] }[] = [];
  /** Nobody knows any more what was said until then. */
  let forgottenUntil = now() - rememberedMs;

  return {
    note({ includes }) {
      const at = now();
      noted.push({ at, includes });
      const kept = noted.findIndex((one) => one.at >= at - rememberedMs);
      for (const one of noted.splice(0, Math.max(kept, noted.length - mostRemembered)))
        forgottenUntil = one.at;
    },
    isNamedSince: (key, moment) =>
      moment < forgottenUntil || noted.some(({ at, includes }) => at > moment && includes(key)),
  };
}
