// Stores the audiences that the hub did not accept, and the time of each audience's next attempt.

import type { HubEnv } from '../env.ts';

/** Audiences that failed. */
export interface Retries {
  readonly size: () => number;
  readonly audiences: () => string[];
  /** Audiences whose wait is over. */
  readonly due: () => string[];
  /** Milliseconds until the next audience is due. */
  readonly nextInMs: () => number;
  /** Stores the outcome of a pass that delivered these audiences. */
  readonly record: (audiences: readonly string[], failures: ReadonlyMap<string, Error>) => void;
  /** Another relay works on those of these audiences that are still due, so they wait again. */
  readonly postpone: (audiences: readonly string[]) => void;
  /** The error of the audience that has been failing for the longest time, or null. */
  readonly error: () => Error | null;
}

const longestWaitMs = 10_000;

/**
 * The wait before attempt `failures + 1`. It doubles from `pollMs` to 10 s, and has a random part so that relays
 * do not retry at the same time.
 */
export const waitMs = (failures: number, pollMs: number, env: Pick<HubEnv, 'random'>): number =>
  Math.min(longestWaitMs, pollMs * 2 ** Math.min(failures, 10)) * (0.5 + env.random() / 2);

/** Keeps a wait for each audience, so that a failing audience delays no other. */
export function createRetries(env: Pick<HubEnv, 'now' | 'random'>, pollMs: number): Retries {
  const failing = new Map<string, { failures: number; at: number; error: Error }>();
  const longestMs = Math.max(longestWaitMs, pollMs);

  /** A longer wait means that the clock was set back, so the audience is due. */
  function leftMs({ at }: { readonly at: number }): number {
    const ms = at - env.now();
    return ms > longestMs ? 0 : Math.max(0, ms);
  }

  return {
    size: () => failing.size,
    audiences: () => [...failing.keys()],
    due: () => [...failing].filter(([, one]) => leftMs(one) === 0).map(([audience]) => audience),
    nextInMs: () => Math.min(...Array.from(failing.values(), leftMs)),
    record(audiences, failures) {
      for (const audience of audiences) if (!failures.has(audience)) failing.delete(audience);
      for (const [audience, error] of failures) {
        const count = (failing.get(audience)?.failures ?? 0) + 1;
        failing.set(audience, { failures: count, at: env.now() + waitMs(count, pollMs, env), error });
      }
    },
    postpone(audiences) {
      for (const audience of audiences) {
        const one = failing.get(audience);
        if (one !== undefined && leftMs(one) === 0) one.at = env.now() + pollMs;
      }
    },
    error: () => failing.values().next().value?.error ?? null,
  };
}
