// The metadata of a directive (document §4.6).

import { DEFAULT_AUDIENCE } from '../protocol/names.ts';

/** The position of a directive in the sequence of its audience. */
export interface SequencePosition {
  readonly audience: string | null;
  readonly seq: number | null;
}

/** The state of audiences that this folder needs. `stream/audiences` stores it. */
export interface AudienceFacts {
  isSubscribed: (audience: string) => boolean;
  /** Whether a higher `seq` was seen for this audience, in a stream or in a response. */
  isPassed: (position: SequencePosition) => boolean;
  /** Whether any directive or envelope had a `seq` so far. */
  hasAnySeq: () => boolean;
  /** Whether the connection replays missed messages of this audience, or of any audience if none is passed. */
  isReplaying: (audience: string | null) => boolean;
  /** A directive with this `seq` was seen. */
  see: (position: SequencePosition) => void;
}

/** A directive without one of these values inherits it from its wrapper, then from its envelope (D-DIR-9). */
export interface Metadata extends SequencePosition {
  readonly source: string | null;
  /** The idempotency key. Copies of a directive share it. */
  readonly key: string | null;
}

/** The audience of a directive. */
export const audienceOf = ({ audience }: SequencePosition): string => audience ?? DEFAULT_AUDIENCE;
