// The metadata of a directive (document §4.6).

/** The position of a directive in the sequence of its audience. */
export interface Place {
  readonly audience: string | null;
  readonly seq: number | null;
}

/** The values that a directive inherits from its wrapper, or else from its list, if it has none of its own (D-DIR-9, D-DIR-10). */
export interface Inherited extends Place {
  readonly source: string | null;
  /** The order of the mutation whose response contains the list. Undefined if the client does not know when the mutation was sent. */
  readonly requested?: number | undefined;
  /** The key of the nearest wrapper. */
  readonly key?: string | null;
  /** The keys of all wrappers around it. A target with such a key is not a duplicate of its wrapper (D-DIR-10). */
  readonly wrapperKeys?: readonly string[];
}

/** The metadata of a directive after inheritance. */
export interface Metadata extends Inherited {
  /** Its idempotency key, or that of its wrapper. Copies of a directive share it. */
  readonly key: string | null;
}

/** The facts about audiences that the rules of this folder need. `stream/audiences` has the state. */
export interface AudienceFacts {
  isSubscribed: (audience: string) => boolean;
  /** Whether a `seq` above this one was seen for its audience, on any path. */
  isPassed: (place: Place) => boolean;
  /** Whether any directive or envelope had a `seq` so far. */
  hasAnySeq: () => boolean;
  /** Whether the connection replays missed messages of this audience. No audience: of any. */
  isReplaying: (audience: string | null) => boolean;
  /** A directive with this `seq` was seen. */
  see: (place: Place) => void;
}
