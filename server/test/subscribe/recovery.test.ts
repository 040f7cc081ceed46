import { describe, expect, it } from 'vitest';
import { createRing } from '../../src/log/ring.ts';
import { judgeCursor } from '../../src/subscribe/recovery.ts';

describe('judgeCursor', () => {
  // The log contains 11 (at 1000) to 15 (at 5000). It reaches back to 10, and to the time 900.
  const entries = [11, 12, 13, 14, 15].map((seq) => ({ seq, at: (seq - 10) * 1000, payload: '' }));
  const ring = createRing(
    { maxEnvelopes: 100, maxAgeMs: 1e6, maxBytes: 1e6 },
    { position: 15, entries, reachSeq: 10, reachAt: 900, emitted: true },
  );
  const now = 6000;

  it.each([
    ['the position', 15, null, { from: 15, recovered: true }],
    ['the number before the position', 14, null, { from: 14, recovered: true }],
    ['the oldest covered number', 10, null, { from: 10, recovered: true }],
    ['a trimmed number', 9, null, { from: 15, recovered: false }],
    ['a number above the position', 16, null, { from: 15, recovered: false }],
    ['an unreadable number', Number.NaN, null, { from: 15, recovered: false }],
    ['a number and an age by the number', 14, 99_999, { from: 14, recovered: true }],
    ['a client without earlier requests', null, 0, { from: 15, recovered: true }],
    ['an age with 2 s added for the replay', null, 500, { from: 13, recovered: true }],
    ['the oldest covered age', null, 5100, { from: 10, recovered: true }],
    ['an age up to 2 s beyond the covered one', null, 5101, { from: 15, recovered: false }],
    ['a missing cursor after an emit', null, null, { from: 15, recovered: false }],
  ])('D-HUB-3 judges %s', (_, lastSeq, sinceMs, expected) => {
    expect(judgeCursor(ring, { lastSeq, sinceMs }, now)).toEqual(expected);
  });

  it('D-SSE-8 recovers a client without earlier requests, even if the log reaches back to no time before now', () => {
    const limits = { maxEnvelopes: 1, maxAgeMs: 1, maxBytes: 1 };
    const late = { position: 7, entries: [], reachSeq: 7, reachAt: now + 1, emitted: true };
    const none = { lastSeq: null, sinceMs: 0 };
    expect(judgeCursor(createRing(limits, late), none, now)).toEqual({ from: 7, recovered: true });
  });
});
