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

/** Why the number does not follow the last one; null when it does. Only an `out-of-order` number leaves the last one as it is. */
export function judge(facts: SequenceFacts): GapReason | 'out-of-order' | null {
  const { lastSeq, incomingSeq, isFirst, isPosition, isReplayMiss } = facts;
  if (isReplayMiss) return 'replay-miss';
  if (lastSeq === null) return null;
  if (isPosition) return incomingSeq === lastSeq ? null : 'position';
  if (incomingSeq > lastSeq) return incomingSeq === lastSeq + 1 ? null : 'gap';
  return isFirst && incomingSeq < lastSeq ? 'restart' : 'out-of-order';
}
