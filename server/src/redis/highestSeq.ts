// The highest sequence numbers that this node knows. A counter that is created again must start above them
// (D-HUB-7). Otherwise clients would treat new envelopes as old ones.

import type { HubEnv } from '../env.ts';

/** The highest sequence number of each log, and of all logs. */
export interface HighestSeq {
  readonly note: (key: string, seq: number) => void;
  /** 0 when none is known. */
  readonly of: (key: string) => number;
  readonly overall: () => number;
}

/** Only this many logs are remembered one by one. For the others, the highest number of all logs is high enough. */
const maxLogs = 10_000;

/** Each log is remembered for as long as Redis keeps an unused log. A log that expired after that was not lost. */
export function createHighestSeq(env: HubEnv, keepMs: number): HighestSeq {
  const logs = new Map<string, { seq: number; at: number }>();
  let overall = 0;

  return {
    note(key, seq) {
      const known = logs.get(key);
      const now = env.now();
      logs.delete(key); // Keeps the map in the order of use.
      logs.set(key, { seq: Math.max(seq, known?.seq ?? 0), at: now });
      overall = Math.max(overall, seq);
      for (const [oldest, { at }] of logs) {
        if (logs.size <= maxLogs && now - at <= keepMs) break;
        logs.delete(oldest);
      }
    },
    of(key) {
      const known = logs.get(key);
      return known === undefined || env.now() - known.at > keepMs ? 0 : known.seq;
    },
    overall: () => overall,
  };
}
