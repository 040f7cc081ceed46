// From where a subscriber is served, and whether it misses nothing (D-HUB-3, D-SSE-8). Pure.

import { SINCE_SLACK_MS } from '@edict/core/protocol';
import type { Ring } from '../log/ring.ts';

/** What a subscriber knows of an audience. */
export interface CursorAsk {
  /** The last number it saw; NaN when it sent one that cannot be read; null when it knows none. */
  readonly lastSeq: number | null;
  /** The age of its oldest request, milliseconds; null when it sent none. */
  readonly sinceMs: number | null;
}

/** The number after which it is served, and whether that is all that it missed. */
export interface Recovery {
  readonly from: number;
  readonly recovered: boolean;
}

/** The same cursor where `ms` have passed since it was sent: the age of a request goes on while its way in is looked at. */
export function older(ask: CursorAsk, ms: number): CursorAsk {
  return ask.sinceMs === null || ask.sinceMs === 0 ? ask : { ...ask, sinceMs: ask.sinceMs + Math.max(0, ms) };
}

/** Judges a cursor against what the log holds. `now` is by the clock of the log. */
export function judgeCursor(
  ring: Pick<Ring, 'position' | 'reachSeq' | 'reachAt' | 'before' | 'emitted'>,
  ask: CursorAsk,
  now: number,
): Recovery {
  const position = ring.position();
  const miss: Recovery = { from: position, recovered: false };

  if (ask.lastSeq !== null) {
    // One that equals the position is recovered, whatever its age; `reachSeq` never is above the position.
    const isHeld = ask.lastSeq >= ring.reachSeq() && ask.lastSeq <= position; // False for NaN.
    return isHeld ? { from: ask.lastSeq, recovered: true } : miss;
  }
  if (ask.sinceMs !== null) {
    // Who has requested nothing has missed nothing, however far the log reaches back.
    if (ask.sinceMs === 0) return { from: position, recovered: true };
    const since = now - ask.sinceMs;
    if (ring.reachAt() > since) return miss; // The slack does not count here.
    return { from: ring.before(since - SINCE_SLACK_MS), recovered: true };
  }
  return { from: position, recovered: !ring.emitted() };
}
