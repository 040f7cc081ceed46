// Random numbers that can be reproduced from a seed.

/** Random numbers in [0, 1), and choices based on them. */
export interface Chance {
  readonly next: () => number;
  readonly below: (limit: number) => number;
  readonly pick: <T>(list: readonly T[]) => T;
}

/** Creates a generator (mulberry32). The same seed gives the same numbers. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    pick(list) {
      const picked = list[below(list.length)];
      if (picked === undefined) throw new Error('There is nothing to pick from.');
      return picked;
    },
  };
}
