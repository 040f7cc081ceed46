// The bytes of one write. In a fan-out, nearly all subscribers of an audience need the same bytes, so the latest ones are cached.

import type { LogEntry } from '../log/backplane.ts';
import type { Ring } from '../log/ring.ts';
import { encode, entryFrame, greetingFrame, positionFrame } from './frame.ts';

/** Frames as bytes, and the number of them that contain directives. */
export interface Frames {
  readonly bytes: Uint8Array;
  readonly envelopes: number;
}

/** An entry with its frame. The frame is encoded for the first subscriber and reused for all others (D-HUB-3). */
export interface FramedEntry extends LogEntry {
  frame: Uint8Array | null;
}

/** The frames of contiguous entries. */
export interface EntryFrames extends Frames {
  /** The sequence number before the first entry. */
  readonly from: number;
  /** The sequence number of the last entry. */
  readonly to: number;
}

/** The frames of one log. */
export interface FrameCache {
  /** The frames after a sequence number, as many as fit into one write. */
  readonly after: (ring: Ring<FramedEntry>, from: number) => EntryFrames;
  /** A position, as an empty envelope. */
  readonly position: (seq: number) => Frames;
  /** A position, and whether the replay was complete. */
  readonly greeting: (seq: number, isRecovered: boolean) => Frames;
}

/** The approximate maximum size of one write. It limits the memory that a stalled client uses. */
const maxWriteBytes = 65_536;

/** A cached frame that contains no entry. */
interface PositionFrame extends Frames {
  readonly seq: number;
  readonly isRecovered?: boolean;
}

/** @param audience as JSON text */
export function createFrameCache(audience: string, heartbeatMs: number): FrameCache {
  let latest: EntryFrames | null = null;
  let position: PositionFrame | null = null;
  let greeting: PositionFrame | null = null;

  function join(ring: Ring<FramedEntry>, from: number): EntryFrames {
    const parts: Uint8Array[] = [];
    let size = 0;
    let to = from;
    while (size < maxWriteBytes) {
      const entry = ring.at(to + 1);
      if (entry === undefined) break;
      entry.frame ??= encode(entryFrame(audience, entry));
      parts.push(entry.frame);
      size += entry.frame.length;
      to = entry.seq;
    }
    return { from, to, bytes: concat(parts, size), envelopes: parts.length };
  }

  /** Whether joining again would return the same bytes. */
  const isCurrent = (ring: Ring<FramedEntry>, { to, bytes }: EntryFrames): boolean =>
    to === ring.position() || bytes.length >= maxWriteBytes;

  return {
    after(ring, from) {
      if (latest?.from !== from || !isCurrent(ring, latest)) latest = join(ring, from);
      return latest;
    },
    position(seq) {
      if (position?.seq !== seq)
        position = { seq, bytes: encode(positionFrame(audience, seq)), envelopes: 0 };
      return position;
    },
    greeting(seq, isRecovered) {
      if (greeting?.seq !== seq || greeting.isRecovered !== isRecovered) {
        const bytes = encode(greetingFrame(audience, seq, isRecovered, heartbeatMs));
        greeting = { seq, isRecovered, bytes, envelopes: 0 };
      }
      return greeting;
    },
  };
}

/** Joins byte arrays. A single part is returned as it is. */
export function concat(parts: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  if (typeof Buffer === 'function') return Buffer.concat(parts, size);
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
