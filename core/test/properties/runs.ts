// How often properties run and from which seed. `FC_SEED=123` replays a run, `FC_SEED=random` explores, `FC_RUNS=n` sets
// the number of schedules. A failure prints its seed and the smallest schedule that shows it; `FC_SHRINK=0` skips the
// search for the smallest.

import type { Parameters } from 'fast-check';

const asked = process.env['FC_SEED'];
const runs = Number(process.env['FC_RUNS'] ?? Number.NaN);

/** The seed of every property of this process. */
export const seed: number =
  asked === undefined || asked === ''
    ? 20_260_101
    : asked === 'random'
      ? Date.now() % 2_147_483_647
      : Number(asked);

if (!Number.isInteger(seed)) throw new TypeError(`FC_SEED is a whole number or "random", not "${asked}"`);

/** Parameters for `fc.assert`. `share` is the number of runs without `FC_RUNS`. */
export function parameters<Ts>(share: number): Parameters<Ts> {
  console.info(`properties: FC_SEED=${seed} FC_RUNS=${Number.isNaN(runs) ? share : runs}`);
  return { seed, numRuns: Number.isNaN(runs) ? share : runs, endOnFailure: process.env['FC_SHRINK'] === '0' };
}
