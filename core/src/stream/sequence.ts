// The sequence of one audience (D-SSE-6, D-SSE-7): what a number means beside the last one that was seen, and beside another.

import type { GapReason } from '../events/eventTypes.ts';
import { DEFAULT_AUDIENCE } from '../protocol/names.ts';

/** What an envelope's number says. */
export interface SequenceFacts {
  /** The last number seen; null before the baseline. */
  readonly lastSeq: number | null;
  readonly incomingSeq: number;
  /** Whether it is this audience's first envelope on this connection. */
  readonly isFirst: boolean;
  /** An envelope with an empty list: it repeats a number, it does not use one up. */
  readonly isPosition: boolean;
  /** The server says that it could not replay what was missed. */
  readonly isReplayMiss: boolean;
}

/** `lastSeq` is the number to remember. */
export interface SequenceVerdict {
  readonly lastSeq: number;
  readonly gap: GapReason | null;
  readonly isOutOfOrder: boolean;
}

const counted = (lastSeq: number, gap: GapReason | null = null): SequenceVerdict => ({
  lastSeq,
  gap,
  isOutOfOrder: false,
});

export function judge(facts: SequenceFacts): SequenceVerdict {
  const { lastSeq, incomingSeq, isFirst, isPosition, isReplayMiss } = facts;
  if (isReplayMiss) return counted(incomingSeq, 'replay-miss'); // D-SSE-7
  if (lastSeq === null) return counted(incomingSeq);
  if (isPosition) return counted(incomingSeq, incomingSeq === lastSeq ? null : 'position'); // D-SSE-7
  if (incomingSeq > lastSeq) return counted(incomingSeq, incomingSeq === lastSeq + 1 ? null : 'gap');
  if (isFirst && incomingSeq < lastSeq) return counted(incomingSeq, 'restart');
  return { lastSeq, gap: null, isOutOfOrder: true };
}

/** Where a directive stands, with what its wrapper and its list say filled in. */
export interface Place {
  readonly audience: string | null;
  readonly seq: number | null;
}

/** By their numbers, in one audience; false where one has none. */
export const isNoEarlier = (a: Place, b: Place): boolean =>
  (a.seq ?? NaN) >= (b.seq ?? NaN) && (a.audience ?? DEFAULT_AUDIENCE) === (b.audience ?? DEFAULT_AUDIENCE);
