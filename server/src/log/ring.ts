// The newest entries of one audience, found by number or by time. Trims from the old end and remembers how far it reaches.

import type { LogEntry, LogView, ReplayLimits } from './backplane.ts';

/** A bounded log: the hub's mirror of an audience, and the memory backplane's store. */
export interface Ring<E extends LogEntry = LogEntry> {
  /** The number of the newest entry, or where the next one follows. */
  readonly position: () => number;
  /** Everything after this number is held. */
  readonly reachSeq: () => number;
  /** Everything from this moment on is held. */
  readonly reachAt: () => number;
  /** Whether anything was ever put in. */
  readonly emitted: () => boolean;
  /** Adds the entry that follows the newest, and trims. */
  readonly push: (entry: E, now: number) => void;
  /** Lets go of entries that are too old. */
  readonly trim: (now: number) => void;
  /** The entry with this number, if held. */
  readonly at: (seq: number) => E | undefined;
  /** The number before the first held entry that was appended at or after this moment. */
  readonly before: (at: number) => number;
  readonly view: () => LogView<E>;
}

/** Slots freed at the front before the array is moved together: keeps `push` constant on average. */
const slack = 256;

/** A ring that starts as the picture given. */
export function createRing<E extends LogEntry>(limits: ReplayLimits, start: LogView<E>): Ring<E> {
  let { position, reachSeq, reachAt, emitted } = start;
  /** Freed slots are emptied at once: an entry that is trimmed is not kept from collection by the array. */
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
      const held = slots.length - first;
      // The newest is held however large it is: its subscribers are still to get it.
      const isTooMuch = held > 1 && (held > limits.maxEnvelopes || bytes > limits.maxBytes);
      if (!isTooOld && !isTooMuch) break;
      dropFirst(entry);
    }
    if (first === slots.length || (first > slack && first * 2 > slots.length)) {
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
      entries: slots.slice(first).filter((entry) => entry !== undefined),
      reachSeq,
      reachAt,
      emitted,
    }),
  };
}

/** Bytes of a payload as UTF-8 would have them, without encoding it. Counting code units is near enough for a memory bound. */
function size(entry: LogEntry): number {
  return entry.payload.length;
}
