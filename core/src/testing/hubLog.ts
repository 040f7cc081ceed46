// One audience's numbers and what can be replayed of them.

import type { Envelope } from '@edict/core';
import { SINCE_SLACK_MS } from '@edict/core/protocol';

/** Where a subscriber stands: its last number, else how far back its oldest request lies, else neither. */
export interface Standpoint {
  lastSeq: number | null;
  sinceMs: number | null;
}

/** What a subscriber is sent first. */
export interface Opening {
  replay: readonly Envelope[];
  seq: number;
  recovered: boolean;
}

/** The log of one audience. */
export interface HubLog {
  seq: () => number;
  append: (make: (seq: number) => Envelope) => Envelope;
  open: (standpoint: Standpoint) => Opening;
  /** Moves the number on without an envelope: what was numbered so is lost for ever. */
  skip: (count: number) => void;
  lastAt: () => number | null;
}

/**
 * @param base the number before the first envelope
 * @param completeSince from when on everything emitted is in the log (ms since the epoch)
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
    // Its own moment is not covered any more, the one after it is.
    reachesBackTo = last.at + 1;
    kept = kept.slice(gone);
  }

  function recovery({ lastSeq, sinceMs }: Standpoint): { from: number; recovered: boolean } {
    if (lastSeq !== null) {
      const missed = seq - lastSeq;
      const recovered = missed >= 0 && missed <= kept.length;
      return { from: recovered ? kept.length - missed : kept.length, recovered };
    }
    if (sinceMs !== null) {
      if (now() - sinceMs < reachesBackTo) return { from: kept.length, recovered: false };
      const since = now() - sinceMs - (sinceMs > 0 ? SINCE_SLACK_MS : 0);
      // With 0 nothing was ever requested, so nothing can have been missed.
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
    open(standpoint) {
      trim();
      const { from, recovered } = recovery(standpoint);
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
