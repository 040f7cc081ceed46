// Where the numbers and the logs live. One process has them in memory, several share them in Redis Streams.
//
// The backplane owns the numbers (D-HUB-3, D-HUB-7): for each audience a *counter* and a *log* of entries that it numbered.
// A hub asks it to append, and is told in order what was appended, by itself and by every other node. A hub delivers
// only what its reader told it, its own emits included, so that every node sends one order.

import type { HubEnv } from '../env.ts';

/** How much of an audience's log is kept for replay. The first limit that is reached trims from the old end. */
export interface ReplayLimits {
  /** Envelopes. */
  readonly maxEnvelopes: number;
  /** Milliseconds. */
  readonly maxAgeMs: number;
  /** Bytes of the payloads. */
  readonly maxBytes: number;
}

/** One envelope in an audience's log. */
export interface LogEntry {
  /** Its number: that of the entry before it plus 1. */
  readonly seq: number;
  /** When it was appended: milliseconds since the epoch by the backplane's clock (`BackplaneLink.now`), never falling. */
  readonly at: number;
  /** The text of the envelope's `directives`, with a mark wherever the number belongs. Opaque to a backplane: to be kept as it is. */
  readonly payload: string;
}

/**
 * Stands in a payload where the number goes, because the number is known only once the entry has been appended.
 * JSON text cannot contain it: inside strings U+0000 is escaped.
 */
export const seqMark = '\u0000';

/** An audience's log as one consistent picture. */
export interface LogView<E extends LogEntry = LogEntry> {
  /** The number of the newest entry that this picture has; the counter where there is none. */
  readonly position: number;
  /** What is kept, oldest first, contiguous, ending at `position`. */
  readonly entries: readonly E[];
  /** The log reaches back to here by number: everything after this number is in `entries`. Equals `position` when `entries` is empty. */
  readonly reachSeq: number;
  /**
   * The log reaches back to here by time: everything appended at or after this moment is in `entries`. After trimming
   * it is the newest trimmed entry's `at` plus 1, before that the creation of the log (memory: the start of the backplane
   * or the newest entry ever forgotten, whichever is later; Redis: the creation of the audience's keys).
   */
  readonly reachAt: number;
  /** Whether anything is known to have been appended to this audience, trimmed since or not. */
  readonly emitted: boolean;
}

/**
 * What a hub does with one audience's log. Never called after `LogReader.close`; does not throw. The first `reset` may come
 * before `open` has returned, `entries` only after.
 */
export interface LogSink {
  /**
   * The first call after `open`, and again whenever what follows does not continue what was told before: data was lost, the
   * counter was created anew, or the log was trimmed past this reader. The hub then tells its subscribers the new
   * position, so a backplane finds out by itself within 5 s, also when nothing is appended (D-HUB-7).
   */
  reset(view: LogView): void;
  /** New entries, contiguous: the first has the number after the last that was told. */
  entries(list: readonly LogEntry[]): void;
}

/** A hub's place in one audience's log. */
export interface LogReader {
  /**
   * Resolves once `LogSink.reset` was called for the first time. Rejects within the backplane's deadline when the log cannot be
   * read; the reader is closed then, and the subscriber is answered 503. Later outages do not touch it: the reader goes on
   * from its own position when the backplane is back.
   */
  readonly ready: Promise<void>;
  /** Ends reading. May be called twice. */
  close(): void;
}

/** One envelope to be appended. */
export interface AppendItem {
  /** Whose log. */
  readonly audience: string;
  /** As in `LogEntry`. */
  readonly payload: string;
}

/** What was appended. */
export interface Appended {
  /** Its number. */
  readonly seq: number;
  /** As in `LogEntry`. */
  readonly at: number;
}

/** This node's connection to the backplane. */
export interface BackplaneLink {
  /**
   * Numbers and stores each item in one indivisible step per audience, in the order given; the answers stand in the same order.
   * Calls that overlap keep one order per audience for every reader. Items of one call may be stored apart (other keys, other
   * shards), but not interleaved within one audience.
   *
   * Rejects within the backplane's deadline with an error whose message says "not confirmed": the entries may or may not have
   * been stored (D-HUB-7). Nothing is queued for later.
   *
   * A counter that is missing is created first. Its value is the clock in microseconds (`now() * 1000`, D-HUB-3), or, if
   * that is greater, the highest number that this node has seen in this audience, plus 1; the first entry follows it.
   */
  append(items: readonly AppendItem[]): Promise<readonly Appended[]>;
  /**
   * Starts to read an audience. The first picture, what it holds and where reading goes on from are one step: nothing appended
   * meanwhile is lost or doubled. The position is the reader's own, also where the counter is further already.
   * A counter that is missing is created. The hub opens an audience at most once at a time.
   */
  open(audience: string, sink: LogSink): LogReader;
  /** The number of the audience's newest entry, from the log itself. Creates a missing counter. Rejects within the deadline. */
  position(audience: string): Promise<number>;
  /** The clock by which `LogEntry.at` and `LogView.reachAt` are told, in milliseconds. A steady estimate will do. */
  now(): number;
  /** Of now: whether the last exchange succeeded, and how many audiences this node keeps or reads. */
  status(): {
    /** Whether the last exchange succeeded. */
    readonly healthy: boolean;
    /** How many audiences this node keeps or reads. */
    readonly audiences: number;
  };
  /**
   * How long the hub keeps a reader open after its last subscriber left, in milliseconds, because opening is dear
   * (Redis: 30000) or not (memory: 0).
   */
  readonly lingerMs: number;
  /** Ends every reader and what the link itself opened; a client that the application passed in stays open. */
  close(): Promise<void>;
}

/** What a hub brings to the backplane it connects to. */
export interface BackplaneNode {
  /** The hub's clock, timers, chance and log. */
  readonly env: HubEnv;
  /** What the log must keep at least. An audience may be forgotten `maxAgeMs` after its last reader left and its last entry. */
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
