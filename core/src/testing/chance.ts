// Random numbers from a seed: the same seed produces the same run.

/** A source of random numbers, the same for the same seed. */
export interface Chance {
  /** At least 0, below 1. */
  random: () => number;
  /** A whole number of at least `min` and at most `max`. */
  between: (min: number, max: number) => number;
  /** True with this probability. */
  happens: (rate: number) => boolean;
}

/** Mulberry32. Its 32 bits of state suffice for tests. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  function random(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  return {
    random,
    between: (min, max) => min + Math.floor(random() * (max - min + 1)),
    happens: (rate) => rate > 0 && random() < rate,
  };
}
