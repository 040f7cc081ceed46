// How far Redis's clock is ahead of this node's. The moments of entries are by Redis's clock, the same for all nodes.

/** An estimate that narrows with each sample. Milliseconds. */
export interface RedisClock {
  /** Redis told its time (microseconds) at some moment between these two of ours. */
  readonly sample: (startedAt: number, endedAt: number, micros: number) => void;
  /** The best estimate; 0 before the first sample. */
  readonly ahead: () => number;
  /** It is ahead by this at least. */
  readonly aheadAtLeast: () => number;
}

/** Nothing is known yet. */
export function createRedisClock(): RedisClock {
  let least = -Infinity;
  let most = Infinity;

  return {
    sample(startedAt, endedAt, micros) {
      const ended = endedAt + 1; // Ours counts whole milliseconds: this one may be nearly over.
      const [lower, upper] = [micros / 1000 - ended, micros / 1000 - startedAt];
      const isConsistent = lower <= most && upper >= least;
      // A clock that was set, or another Redis: what was known is void.
      least = isConsistent ? Math.max(least, lower) : lower;
      most = isConsistent ? Math.min(most, upper) : upper;
    },
    ahead: () => (most === Infinity ? 0 : (least + most) / 2),
    aheadAtLeast: () => (most === Infinity ? 0 : least),
  };
}
