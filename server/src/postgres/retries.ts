// Audiences that the hub did not accept, and when the relay tries each of them again.

import type { HubEnv } from '../env.ts';

/** Audiences that failed. */
export interface Retries {
  readonly size: () => number;
  readonly audiences: () => string[];
  /** Audiences whose wait is over. */
  readonly due: () => string[];
  /** Milliseconds until the next audience is due. */
  readonly nextInMs: () => number;
  /** Records the outcome of a pass over these audiences. */
  readonly record: (tried: readonly string[], failures: ReadonlyMap<string, Error>) => void;
  /** The error of the audience that has failed for the longest time, or null. */
  readonly error: () => Error | null;
}

const longestWaitMs = 10_000;

/** The wait before attempt `failures + 1`: doubles from `pollMs` to 10 s, and is spread so that relays do not act in step. */
export const waitMs = (failures: number, pollMs: number, env: Pick<HubEnv, 'random'>): number =>
  Math.min(longestWaitMs, pollMs * 2 ** Math.min(failures, 10)) * (0.5 + env.random() / 2);

/** Keeps a wait for each audience, so that a failing audience delays no other. */
export function createRetries(env: Pick<HubEnv, 'now' | 'random'>, pollMs: number): Retries {
  const failing = new Map<string, { failures: number; at: number; error: Error }>();
  return {
    size: () => failing.size,
    audiences: () => [...failing.keys()],
    due: () => [...failing].filter(([, { at }]) => at <= env.now()).map(([audience]) => audience),
    nextInMs: () => Math.max(0, Math.min(...Array.from(failing.values(), ({ at }) => at)) - env.now()),
    record(tried, failures) {
      for (const audience of tried) if (!failures.has(audience)) failing.delete(audience);
      for (const [audience, error] of failures) {
        const count = (failing.get(audience)?.failures ?? 0) + 1;
        failing.set(audience, { failures: count, at: env.now() + waitMs(count, pollMs, env), error });
      }
    },
    error: () => failing.values().next().value?.error ?? null,
  };
}
