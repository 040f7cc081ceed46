// Whether Redis works for a node. Redis can be connected and still refuse appends or reads: with a restrictive
// ACL, with full memory, or on a node of a cluster.

import type { HubEnv } from '../env.ts';
import type { RedisError } from './safeError.ts';

/** The health of one kind of work: appending, or reading. */
export interface WorkHealth {
  /** A part of the work, such as the appends to one log, was refused. */
  readonly fail: (part: string, reason: RedisError) => void;
  readonly succeed: (part: string) => void;
  /** The parts that were refused and have not succeeded since. */
  readonly failing: () => ReadonlySet<string>;
}

/** The number of parts that are remembered. More would only cost memory. */
const maxParts = 1000;

/**
 * Creates the health of a kind of work that has not been refused yet.
 * @param effect the consequence of a refusal, for the log line
 */
export function createWorkHealth(env: Pick<HubEnv, 'log'>, work: string, effect: string): WorkHealth {
  const failing = new Set<string>();
  return {
    fail(part, reason) {
      if (failing.size === 0) env.log('error', `Redis refuses to ${work}. ${effect}`, reason);
      if (failing.size < maxParts) failing.add(part);
    },
    succeed(part) {
      if (failing.delete(part) && failing.size === 0) env.log('warn', `Redis accepts to ${work} again.`);
    },
    failing: () => failing,
  };
}
