// The highest sequence number that was seen in each audience. An inline result with a lower number may be stale
// (D-DIR-9).

import { DEFAULT_AUDIENCE } from '../protocol/names.ts';

export interface Newest {
  /** A directive with this number was seen, whether it was applied or not. */
  note: (audience: string | null, seq: number | null) => void;
  /**
   * The number did not follow the last one. A lower number means that the server restarted its counter, so earlier
   * numbers cannot be compared anymore (D-SSE-6).
   */
  moved: (audience: string, last: number | null, seq: number) => void;
  /** Whether a number above the current count may belong to the previous count. */
  mayBeOfBefore: (audience: string, seq: number) => boolean;
  /**
   * Whether a directive of the same audience with a higher number was seen. False for a directive without a
   * number.
   */
  isPassed: (audience: string | null, seq: number | null) => boolean;
}

export function createNewest(): Newest {
  const seqs = new Map<string, number>();
  /** The highest numbers of the counts that were restarted. */
  const before = new Map<string, number>();
  const of = (audience: string | null): number => seqs.get(audience ?? DEFAULT_AUDIENCE) ?? -Infinity;
  return {
    note(audience, seq) {
      if (seq !== null && seq > of(audience)) seqs.set(audience ?? DEFAULT_AUDIENCE, seq);
    },
    moved(audience, last, seq) {
      if (last === null || seq >= last) return;
      before.set(audience, Math.max(last, of(audience), before.get(audience) ?? last));
      seqs.set(audience, seq);
    },
    mayBeOfBefore: (audience, seq) => seq <= (before.get(audience) ?? -Infinity),
    isPassed: (audience, seq) => seq !== null && seq < of(audience),
  };
}
