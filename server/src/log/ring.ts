// The newest entries of one audience, which can be found by sequence number or by time. It trims the oldest
// entries and records how far it reaches back.

import type { LogEntry, LogView, ReplayLimits } from './backplane.ts';

/** A bounded log. The hub mirrors each audience in one, and the memory backplane stores its logs in them. */
export interface Ring<E extends LogEntry = LogEntry> {
  /** The sequence number of the newest entry, or the one that the first entry will follow. */
  readonly position: () => number;
  /** The ring contains everything after this sequence number. */
  readonly reachSeq: () => number;
  /** The ring contains everything from this time on. */
  readonly reachAt: () => number;
  /** Whether anything was ever added. */
  readonly emitted: () => boolean;
  /** Adds the entry that follows the newest, and trims. */
  readonly push: (entry: E, now: number) => void;
  /** Removes entries that are too old. */
  readonly trim: (now: number) => void;
  /** The entry with this sequence number, if it is kept. */
  readonly at: (seq: number) => E | undefined;
  /** The sequence number before the first entry that was appended at or after this time. */
  readonly before: (at: number) => number;
  readonly view: () => LogView<E>;
}

/** Creates a ring from a snapshot. */
export function createRing<E extends LogEntry>(limits: ReplayLimits, start: LogView<E>): Ring<E> {
  let { position, reachSeq, reachAt, emitted } = start;
  /** Free slots are cleared immediately, so that the array does not keep trimmed entries in memory. */
  let slots: (E | undefined)[] = [...start.entries];
  let first = 0;
  let bytes = start.entries.reduce((sum, entry) => sum + size(entry), 0);

  const dropFirst = (entry: E): void => {
    slots[first] = undefined;
    first += 1;
    bytes -= size(entry);
    reachSeq = entry.seq;
    reachAt = Math.max(reachAt, entry.at + 1);
  };

  const trim = (now: number): void => {
    for (let entry = slots[first]; entry !== undefined; entry = slots[first]) {
      const isTooOld = now - entry.at > limits.maxAgeMs;
      const kept = slots.length - first;
      // The newest entry is always kept, because its subscribers have not received it yet.
      const isTooMuch = kept > 1 && (kept > limits.maxEnvelopes || bytes > limits.maxBytes);
      if (!isTooOld && !isTooMuch) break;
      dropFirst(entry);
    }
    // The array is compacted once most of its slots are free, which keeps the average cost of `push` constant.
    if (first * 2 > slots.length) {
      slots = slots.slice(first);
      first = 0;
    }
  };

  return {
    position: () => position,
    reachSeq: () => reachSeq,
    reachAt: () => reachAt,
    emitted: () => emitted,
    push(entry, now) {
      slots.push(entry);
      bytes += size(entry);
      position = entry.seq;
      emitted = true;
      trim(now);
    },
    trim,
    at: (seq) => slots[first + (seq - reachSeq - 1)], // Freed slots are empty.
    before(at) {
      let low = first;
      let high = slots.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        const entry = slots[middle];
        if (entry !== undefined && entry.at < at) low = middle + 1;
        else high = middle;
      }
      return reachSeq + (low - first);
    },
    view: () => ({
      position,
      entries: slots.filter((entry) => entry !== undefined),
      reachSeq,
      reachAt,
      emitted,
    }),
  };
}

/** Approximates the bytes of a payload by its code units, which is good enough for a memory bound and needs no encoding. */
function size(entry: LogEntry): number {
  return entry.payload.length;
}
