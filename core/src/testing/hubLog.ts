// The sequence of one audience, and the envelopes that can be replayed.

import type { Envelope } from '@edict/core';
import { SINCE_SLACK_MS } from '@edict/core/protocol';

/** The starting point of a replay: the subscriber's last number, the age of its oldest request, or neither. */
export interface Cursor {
  lastSeq: number | null;
  sinceMs: number | null;
}

/** The first frames of a subscriber. */
export interface Opening {
  replay: readonly Envelope[];
  seq: number;
  recovered: boolean;
}

/** The log of one audience. */
export interface HubLog {
  seq: () => number;
  append: (make: (seq: number) => Envelope) => Envelope;
  open: (cursor: Cursor) => Opening;
  /** Counts envelopes that are never sent and cannot be replayed. */
  skip: (count: number) => void;
  lastAt: () => number | null;
}

/**
 * @param base the number before the first envelope
 * @param completeSince the log contains everything that was emitted since this time (ms since the epoch)
 */
export function createHubLog(
  now: () => number,
  base: number,
  completeSince: number,
  limits: { maxEnvelopes: number; maxAgeMs: number },
): HubLog {
  let seq = base;
  let reachesBackTo = completeSince;
  let lastAt: number | null = null;
  let kept: { at: number; envelope: Envelope }[] = [];

  function trim(): void {
    const oldest = now() - limits.maxAgeMs;
    let gone = Math.max(0, kept.length - limits.maxEnvelopes);
    for (let next = kept[gone]; next !== undefined && next.at < oldest; next = kept[gone]) gone += 1;
    const last = kept[gone - 1];
    if (last === undefined) return;
    // The log is complete from the next millisecond on.
    reachesBackTo = last.at + 1;
    kept = kept.slice(gone);
  }

  function recovery({ lastSeq, sinceMs }: Cursor): { from: number; recovered: boolean } {
    if (lastSeq !== null) {
      const missed = seq - lastSeq;
      const recovered = missed >= 0 && missed <= kept.length;
      return { from: recovered ? kept.length - missed : kept.length, recovered };
    }
    if (sinceMs !== null) {
      if (now() - sinceMs < reachesBackTo) return { from: kept.length, recovered: false };
      const since = now() - sinceMs - (sinceMs > 0 ? SINCE_SLACK_MS : 0);
      // With 0, the client has not requested anything yet, so it cannot have missed anything.
      const from = sinceMs === 0 ? kept.length : kept.findIndex((one) => one.at >= since);
      return { from: from === -1 ? kept.length : from, recovered: true };
    }
    return { from: kept.length, recovered: seq === base };
  }

  return {
    seq: () => seq,
    lastAt: () => lastAt,
    append(make) {
      seq += 1;
      lastAt = now();
      const envelope = make(seq);
      kept.push({ at: lastAt, envelope });
      trim();
      return envelope;
    },
    open(cursor) {
      trim();
      const { from, recovered } = recovery(cursor);
      return { replay: kept.slice(from).map((one) => one.envelope), seq, recovered };
    },
    skip(count) {
      seq += count;
      lastAt = now();
      kept = [];
      reachesBackTo = now() + 1;
    },
  };
}
