// What the leading tab can replay to another tab. It answers like a hub: with the messages after a cursor if it can prove that it has all of
// them, and otherwise with a position that causes a resync. It decides and sends nothing.

/** From where a tab needs the messages of its audiences. */
export interface Cursors {
  /** The last sequence number of each audience; null if none is known. */
  readonly seqs: readonly (readonly [audience: string, lastSeq: number | null])[];
  /** When its oldest request was sent, in milliseconds since the epoch, which all tabs read from one clock. Counts without a number. */
  readonly since: number;
}

/** The fields of an envelope that count. */
export interface Counted {
  readonly audience?: string | null;
  readonly seq?: number | null;
  readonly directives: readonly unknown[];
  readonly recovered?: boolean;
}

export interface ReplayLog {
  /** Adds an envelope. `data` is its text. */
  add: (envelope: Counted, data: string, now: number) => void;
  /** Whether the position of every audience is known. */
  isReady: () => boolean;
  /** The data of the frames with which a tab continues: for each audience the missed messages, and a greeting. */
  replay: (cursors: Cursors, heartbeatMs: number) => string[];
}

interface Sequence {
  /** From when on the hub sends everything, if it recovers the leader. */
  readonly recoveredSince: number;
  last: number | null;
  /** The entries are everything above this number, up to `last`. */
  from: number;
  /** The entries are everything that was emitted since this time. */
  since: number;
  entries: { readonly seq: number; readonly at: number; readonly data: string }[];
}

const maxEntries = 200;

/**
 * @param own the cursors of the leader's own request
 * @param openedAt when the response to it arrived
 * @param isPrompt whether the hub understood the age of the leader's oldest request exactly enough (D-SSE-8)
 */
export function createReplayLog(own: Cursors, openedAt: number, isPrompt: boolean): ReplayLog {
  const sequences = new Map<unknown, Sequence>(
    own.seqs.map(([audience, last]) => [
      audience,
      {
        recoveredSince: last === null && isPrompt ? own.since : openedAt,
        last,
        from: last ?? Infinity,
        since: Infinity,
        entries: [],
      },
    ]),
  );
  return {
    add({ audience, seq, directives, recovered }, data, at) {
      const isPosition = directives.length === 0;
      const sequence = sequences.get(audience);
      if (sequence === undefined || typeof seq !== 'number') return; // No hub could replay it.
      const { last } = sequence;
      const before = isPosition ? seq : seq - 1;
      const isLost =
        recovered === false || (last ?? before) !== before || sequence.entries.length >= maxEntries;
      if (isLost || last === null) sequence.from = before;
      if (isLost) {
        sequence.entries = [];
        sequence.since = at + 1; // What is missing was emitted at this time or earlier.
      } else if (isPosition && sequence.since === Infinity)
        sequence.since = recovered === true ? sequence.recoveredSince : openedAt;
      sequence.last = seq;
      if (!isPosition) sequence.entries.push({ seq, at, data });
    },
    isReady: () => [...sequences.values()].every(({ since }) => since < Infinity),
    replay: ({ seqs, since }, heartbeat_ms) =>
      seqs.flatMap(([audience, lastSeq]) => {
        const sequence = sequences.get(audience) as Sequence; // Tabs share for the same audiences only.
        const { last, entries } = sequence;
        const recovered =
          lastSeq === null ? since >= sequence.since : lastSeq >= sequence.from && lastSeq <= (last ?? 0);
        const seq = last ?? lastSeq ?? 0;
        return [
          ...entries
            .filter((entry) => recovered && (lastSeq === null ? entry.at >= since : entry.seq > lastSeq))
            .map((entry) => entry.data),
          JSON.stringify({ type: 'directives', seq, audience, directives: [], recovered, heartbeat_ms }),
        ];
      }),
  };
}
