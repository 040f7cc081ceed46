// How the properties of rules run: `FC_SEED=<n>` replays a run, `FC_SEED=random` explores, `FC_RUNS=<n>` sets how many runs.
// A failure prints its seed and the smallest case that shows it.

/** Parameters for `fc.assert`: this many runs if `FC_RUNS` is not set. */
export function runs(numRuns: number): { numRuns: number; seed?: number } {
  const { FC_SEED: asked = '20260101', FC_RUNS: wanted } = process.env;
  return {
    numRuns: wanted === undefined ? numRuns : Number(wanted),
    ...(asked === 'random' ? {} : { seed: Number(asked) }),
  };
}
