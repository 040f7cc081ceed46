// The difference between the clock of Redis and this node's clock. Entries have the time of Redis, which is the
// same for all nodes.

/** An estimate that becomes more precise with each sample. Milliseconds. */
export interface RedisClock {
  /** Redis reported its time, in microseconds, at some point between two times of this node. */
  readonly sample: (startedAt: number, endedAt: number, micros: number) => void;
  /** The best estimate. 0 before the first sample. */
  readonly ahead: () => number;
  /** The lower bound of the estimate. 0 before the first sample. */
  readonly aheadAtLeast: () => number;
}

/** Creates a clock without samples. */
export function createRedisClock(): RedisClock {
  let least = -Infinity;
  let most = Infinity;

  return {
    sample(startedAt, endedAt, micros) {
      const ended = endedAt + 1; // The node's clock counts whole milliseconds, and this one may be nearly over.
      const [lower, upper] = [micros / 1000 - ended, micros / 1000 - startedAt];
      const isConsistent = lower <= most && upper >= least;
      // An inconsistent sample means that a clock was set, or that another Redis responds now. It replaces the estimate.
      least = isConsistent ? Math.max(least, lower) : lower;
      most = isConsistent ? Math.min(most, upper) : upper;
    },
    ahead: () => (most === Infinity ? 0 : (least + most) / 2),
    aheadAtLeast: () => (most === Infinity ? 0 : least),
  };
}
