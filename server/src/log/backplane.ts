// Stores sequence numbers and logs. One process keeps them in memory. Several processes share them in Redis
// Streams.
//
// The backplane owns the numbers (D-HUB-3, D-HUB-7). Each audience has a counter and a log of numbered entries. A hub appends to the
// log, and its reader receives every entry in order, whichever node appended it. A hub delivers only what its reader received, its own
// emits included, so every node sends the same order.

import type { HubEnv } from '../env.ts';

/** How much of each audience's log is kept for replay. The first limit that is reached trims the oldest entries. */
export interface ReplayLimits {
  /** Number of envelopes. */
  readonly maxEnvelopes: number;
  /** Age in milliseconds. */
  readonly maxAgeMs: number;
  /** Bytes of the payloads. */
  readonly maxBytes: number;
}

/** One envelope in an audience's log. */
export interface LogEntry {
  /** The sequence number: that of the previous entry plus 1. */
  readonly seq: number;
  /** When it was appended: milliseconds since the epoch by the backplane's clock (`BackplaneLink.now`). Never decreases. */
  readonly at: number;
  /** The JSON text of the envelope's `directives`, with a mark wherever the sequence number belongs. A backplane stores it unchanged. */
  readonly payload: string;
}

/**
 * The place of the sequence number in a payload, because the number is known only after the append. JSON text cannot contain this
 * character: inside strings, U+0000 is escaped.
 */
export const seqMark = '\u0000';

/**
 * The audience in which hubs send each other revocations (`hub.disconnect`). A backplane numbers, stores and reads it like every other
 * audience, but does not count it in `BackplaneLink.status().audiences`. No client can subscribe to it, because the name contains a
 * control character.
 */
export const controlAudience = '\u0001control';

/** A consistent snapshot of an audience's log. */
export interface LogView<E extends LogEntry = LogEntry> {
  /** The sequence number of the newest entry in this snapshot, or the counter when there is no entry. */
  readonly position: number;
  /** The entries that are kept: oldest first, contiguous, ending at `position`. */
  readonly entries: readonly E[];
  /** `entries` contains everything after this sequence number. Equals `position` when `entries` is empty. */
  readonly reachSeq: number;
  /**
   * `entries` contains everything that was appended at or after this time. After trimming, it is the `at` of the newest trimmed entry
   * plus 1. Before that, it is the creation of the log: with memory the start of the backplane or the newest entry that was ever
   * forgotten, whichever is later; with Redis the creation of the audience's keys.
   */
  readonly reachAt: number;
  /** Whether anything is known to have been appended to this audience, even if it was trimmed since. */
  readonly emitted: boolean;
}

/**
 * The callbacks of a hub for one audience's log. They do not throw, and are never called after `LogReader.close`.
 * The first `reset` may be called before `open` has returned; `entries` is called only after that.
 */
export interface LogSink {
  /**
   * The first call after `open`. It is called again whenever the following entries do not continue the previous ones: data was lost,
   * the counter was created again, or the log was trimmed past this reader. The hub then sends its subscribers the new position. A
   * backplane must notice this within 5 s, even if nothing is appended.
   */
  reset(view: LogView): void;
  /** New entries. They are contiguous, and the first one follows the previous entry. */
  entries(list: readonly LogEntry[]): void;
  /**
   * The backplane is connected but refuses to read this log, as with a restrictive ACL. The reader is closed. The hub ends the
   * streams of the audience, so that no client shows old data as fresh.
   */
  end(): void;
}

/** A hub's reader of one audience's log. */
export interface LogReader {
  /**
   * Resolves after the first `LogSink.reset`. Rejects within the backplane's timeout when the log cannot be read. The reader is then
   * closed, and the subscriber receives 503. Later outages do not affect it: the reader continues from its own position when the
   * backplane is back.
   */
  readonly ready: Promise<void>;
  /** Stops reading. May be called twice. */
  close(): void;
}

/** One envelope to append. */
export interface AppendItem {
  /** The audience whose log it is appended to. */
  readonly audience: string;
  /** See `LogEntry.payload`. */
  readonly payload: string;
}

/** The result of appending one item. */
export interface Appended {
  /** The sequence number of the entry. */
  readonly seq: number;
  /** See `LogEntry.at`. */
  readonly at: number;
}

/** This node's connection to the backplane. */
export interface BackplaneLink {
  /**
   * Numbers and stores each item in one atomic step per audience, in the given order. Resolves to the results in the same order.
   * Overlapping calls keep one order per audience for every reader. Items of one call may be stored separately (other keys, other
   * shards), but are not interleaved within one audience.
   *
   * Rejects within the backplane's timeout with an error whose message contains "not confirmed": the entries may or may not have been
   * stored. Nothing is queued for later.
   *
   * A missing counter is created first. It starts from the clock in microseconds (`now() * 1000`) or from the highest number
   * that this node has seen in this audience, whichever is greater, plus 1. The first entry follows it.
   */
  append(items: readonly AppendItem[]): Promise<readonly Appended[]>;
  /**
   * Starts to read an audience. The first snapshot and the entries that follow it are continuous: nothing is lost or delivered twice.
   * The position is the reader's own, even if the counter is already ahead. A missing counter is created. The hub opens an audience at
   * most once at a time.
   */
  open(audience: string, sink: LogSink): LogReader;
  /**
   * The sequence number of the audience's newest entry, from the log itself. Creates a missing counter. Rejects within the timeout, and
   * after `close`.
   */
  position(audience: string): Promise<number>;
  /** The clock of `LogEntry.at` and `LogView.reachAt`, in milliseconds. A steady estimate is sufficient. */
  now(): number;
  /** The current state. */
  status(): {
    /** False while reads or appends are refused. */
    readonly healthy: boolean;
    /** The number of audiences that this node keeps or reads, without `controlAudience`. */
    readonly audiences: number;
  };
  /**
   * How long the hub keeps a reader open after its last subscriber left, in milliseconds. Use a value above 0 where opening is
   * expensive (Redis: 30000, memory: 0).
   */
  readonly lingerMs: number;
  /**
   * Closes every reader and every connection that the link itself opened. A client that the application passed in
   * stays open.
   */
  close(): Promise<void>;
}

/** The arguments that a hub passes to the backplane when it connects. */
export interface BackplaneNode {
  /** The hub's clock, timers, randomness and log. */
  readonly env: HubEnv;
  /**
   * The amount of log to keep. An audience may be forgotten `maxAgeMs` after its last reader left and after its
   * last entry.
   */
  readonly replay: ReplayLimits;
}

/**
 * Carries envelopes between hubs: `memoryBackplane()` (the default), `redisBackplane()` of `@edict/server/redis`, or your own.
 * One backplane object may serve several hubs.
 */
export interface Backplane {
  /** Called once by each hub when it is created. */
  connect(node: BackplaneNode): BackplaneLink;
}
