// Determines where a subscriber's replay starts, and whether the replay is complete (D-HUB-3, D-SSE-8). Pure.

import { SINCE_SLACK_MS } from '@edict/core/protocol';
import type { Ring } from '../log/ring.ts';

/** The part of an audience's log that a subscriber already has. */
export interface Cursor {
  /** The last sequence number that it received. NaN when it sent an unreadable one, null when it knows none. */
  readonly lastSeq: number | null;
  /** The age of its oldest request in milliseconds. Null when it sent none. */
  readonly sinceMs: number | null;
}

/** The sequence number after which the replay starts, and whether the replay contains everything that the subscriber missed. */
export interface Recovery {
  readonly from: number;
  readonly recovered: boolean;
}

/** The cursor after `ms` have passed, because the age of a request continues to grow while the hub admits it. */
export function older(cursor: Cursor, ms: number): Cursor {
  const isAged = cursor.sinceMs !== null && cursor.sinceMs > 0;
  return isAged ? { ...cursor, sinceMs: cursor.sinceMs + Math.max(0, ms) } : cursor;
}

/** Compares a cursor with the log. `now` is by the clock of the log. */
export function judgeCursor(
  ring: Pick<Ring, 'position' | 'reachSeq' | 'reachAt' | 'before' | 'emitted'>,
  cursor: Cursor,
  now: number,
): Recovery {
  const position = ring.position();
  const miss: Recovery = { from: position, recovered: false };

  if (cursor.lastSeq !== null) {
    // A cursor that equals the position is recovered, whatever its age: `reachSeq` is never above the position. NaN compares false.
    const isKept = cursor.lastSeq >= ring.reachSeq() && cursor.lastSeq <= position;
    return isKept ? { from: cursor.lastSeq, recovered: true } : miss;
  }
  if (cursor.sinceMs !== null) {
    // A client that has not requested anything has missed nothing, however far the log reaches back.
    if (cursor.sinceMs === 0) return { from: position, recovered: true };
    const since = now - cursor.sinceMs;
    if (ring.reachAt() > since) return miss; // The slack applies to the replay only.
    return { from: ring.before(since - SINCE_SLACK_MS), recovered: true };
  }
  return { from: position, recovered: !ring.emitted() };
}
