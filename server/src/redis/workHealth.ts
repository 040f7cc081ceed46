// Whether Redis does the work of a node. A connection can be open while Redis refuses each append or each read: with a
// restrictive ACL, with full memory, or on a node of a cluster.

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

/** Enough to know that the work fails. More parts would only cost memory. */
const maxParts = 1000;

/**
 * Creates the health of work that was not refused yet.
 * @param effect of a refusal, for the log line
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
