import type { SequencePosition } from './metadata.ts';

/** The state of audiences that this folder needs. `stream/audiences` stores it. */
export interface AudienceFacts {
  isSubscribed: (audience: string) => boolean;
  /** Whether a higher `seq` was seen for this audience, in a stream or in a response. */
  isPassed: (place: SequencePosition) => boolean;
  /** Whether any directive or envelope had a `seq` so far. */
  hasAnySeq: () => boolean;
  /** Whether the connection replays missed messages of this audience, or of any audience if none is passed. */
  isReplaying: (audience: string | null) => boolean;
  /** A directive with this `seq` was seen. */
  see: (place: SequencePosition) => void;
}
