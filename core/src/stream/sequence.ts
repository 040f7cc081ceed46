// The sequence of one audience (D-SSE-6, D-SSE-7): what a number means beside the last one.

import type { GapReason } from '../events/eventTypes.ts';

export interface SequenceFacts {
  /** The last number; null before the baseline. */
  readonly lastSeq: number | null;
  readonly incomingSeq: number;
  /** Whether it is the first envelope of the audience on this connection. */
  readonly isFirst: boolean;
  /** An envelope with an empty list. It repeats the last number. */
  readonly isPosition: boolean;
  /** The server could not replay the missed messages. */
  readonly isReplayMiss: boolean;
}

/** `lastSeq` is the last number from now on. */
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
