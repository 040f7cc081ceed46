// The newest that was heard of each audience: an inline result from before it may be outdated (D-DIR-9).

import { DEFAULT_AUDIENCE } from '../protocol/names.ts';

export interface Newest {
  /** A directive with this number was seen, whatever became of it. */
  note: (audience: string | null, seq: number | null) => void;
  /** The last number that was seen is another. Where it is lower the server counts anew: what it said before is no measure now (D-SSE-6). */
  moved: (audience: string, last: number | null, seq: number) => void;
  /** Whether a number above the present count may be one of the count before. */
  mayBeOfBefore: (audience: string, seq: number) => boolean;
  /** Whether a directive of its audience with a higher number was seen. Without a number of its own nothing says so. */
  isPassed: (audience: string | null, seq: number | null) => boolean;
}

export function createNewest(): Newest {
  const seqs = new Map<string, number>();
  /** Where the counts ended that were begun anew. */
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
