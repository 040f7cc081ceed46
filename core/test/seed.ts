// How properties run: a failure prints its seed; FC_SEED=<seed> replays it, FC_RUNS=<n> sets the number of runs.

export function runs(numRuns: number): { numRuns: number; seed?: number } {
  const { FC_SEED: seed, FC_RUNS: wanted } = process.env;
  return {
    numRuns: wanted === undefined ? numRuns : Number(wanted),
    ...(seed === undefined ? {} : { seed: Number(seed) }),
  };
}
