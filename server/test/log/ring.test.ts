import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../src/log/backplane.ts';
import { createRing } from '../../src/log/ring.ts';

describe('the ring', () => {
  it.each([1, 255, 256, 257, 5000])(
    'finds every entry by its number after %i entries, and keeps at most maxEnvelopes',
    (count) => {
      const ring = createRing<LogEntry>(
        { maxEnvelopes: 100, maxAgeMs: 1e9, maxBytes: 1e9 },
        { position: 0, entries: [], reachSeq: 0, reachAt: 0, emitted: false },
      );
      for (let seq = 1; seq <= count; seq += 1) ring.push({ seq, at: seq, payload: 'x' }, seq);
      const oldest = Math.max(1, count - 99);
      expect(ring.position()).toBe(count);
      expect(ring.reachSeq()).toBe(oldest - 1);
      expect(ring.at(oldest - 1)).toBeUndefined();
      expect(ring.at(count + 1)).toBeUndefined();
      for (let seq = oldest; seq <= count; seq += 1) expect(ring.at(seq)?.seq).toBe(seq);
      expect(ring.before(count)).toBe(count - 1);
      expect(ring.before(0)).toBe(oldest - 1);
      expect(ring.view().entries).toHaveLength(count - oldest + 1);
    },
  );

  it('D-HUB-3 never reaches back further than at its start, even if its entries are older', () => {
    const ring = createRing<LogEntry>(
      { maxEnvelopes: 1, maxAgeMs: 1e9, maxBytes: 1e9 },
      { position: 0, entries: [], reachSeq: 0, reachAt: 1000, emitted: true },
    );
    for (const seq of [1, 2]) ring.push({ seq, at: seq, payload: 'x' }, seq);
    expect(ring.reachAt()).toBe(1000);
  });

  it('D-HUB-3 counts the bytes of the entries that it starts from', () => {
    const entries = [1, 2].map((seq) => ({ seq, at: seq, payload: 'xxxx' }));
    const ring = createRing<LogEntry>(
      { maxEnvelopes: 100, maxAgeMs: 1e9, maxBytes: 8 },
      { position: 2, entries, reachSeq: 0, reachAt: 0, emitted: true },
    );
    ring.push({ seq: 3, at: 3, payload: 'x' }, 3);
    expect(ring.view().entries.map(({ seq }) => seq)).toEqual([2, 3]);
  });
});
