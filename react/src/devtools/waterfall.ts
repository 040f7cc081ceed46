// The position of each request's bar. Requests that overlap or follow each other closely share one start. So a
// page load looks like a staircase, and not like a thousand dots on the time axis of an hour.

import type { Intent } from './record.ts';

/** The pause after which a request starts a new group. */
const pauseMs = 250;
/** The shortest axis. */
const leastMs = 50;

export interface Bar {
  readonly request: Intent;
  /** Whether it is the first request of its group. */
  readonly isFirst: boolean;
  /** Milliseconds since the start of the group. */
  readonly fromMs: number;
  /** Null while it is in flight. */
  readonly toMs: number | null;
}

/**
 * The bars in the order of the requests, and the length of the axis. Bars that are longer than the axis are
 * truncated.
 */
export function waterfallOf(requests: readonly Intent[]): { bars: Bar[]; axisMs: number } {
  const bars: Bar[] = [];
  const lengths: number[] = [];
  let start = -Infinity;
  let end = -Infinity;
  for (const request of requests) {
    const { at, ending } = request;
    const isFirst = at > end + pauseMs;
    if (isFirst) {
      start = at;
      lengths.push(0);
    }
    end = Math.max(end, ending?.at ?? at);
    lengths[lengths.length - 1] = end - start;
    bars.push({ request, isFirst, fromMs: at - start, toMs: ending === null ? null : ending.at - start });
  }
  // A single slow group must not shrink all others to dots.
  const middle = [...lengths].sort((one, other) => one - other)[Math.floor(lengths.length / 2)] ?? 0;
  const axisMs = Math.max(leastMs, Math.min(Math.max(...lengths, 0), middle * 4 + leastMs));
  return { bars, axisMs };
}
