// The bytes of one write. In a pass nearly all subscribers of an audience ask for the same, so what was made last is kept.

import type { LogEntry } from '../log/backplane.ts';
import { encode, entryFrame, positionFrame } from './frame.ts';
import type { Ring } from '../log/ring.ts';

/** Bytes ready to be written, and how many envelopes they are. */
export interface Joined {
  readonly bytes: Uint8Array;
  readonly envelopes: number;
}

/** An entry and its frame, once somebody was to get it. Each is encoded once on a node, whatever the number of clients (D-HUB-3). */
export interface FramedEntry extends LogEntry {
  frame: Uint8Array | null;
}

/** Frames that follow each other. */
export interface Frames extends Joined {
  /** The number before the first. */
  readonly from: number;
  /** The number of the last. */
  readonly to: number;
}

/** The frames of one log, as they are written. */
export interface Joiner {
  /** Those after a number, as many as one write carries. */
  readonly after: (ring: Ring<FramedEntry>, from: number) => Frames;
  /** A position, as an empty envelope. */
  readonly position: (seq: number) => Joined;
}

/** One write carries about so many bytes at most, so that a client that stalls holds no more than that. */
const maxJoinedBytes = 65_536;

/** @param audience as JSON text */
export function createJoiner(audience: string): Joiner {
  let frames: Frames | null = null;
  let position: (Joined & { readonly seq: number }) | null = null;

  function join(ring: Ring<FramedEntry>, from: number): Frames {
    const parts: Uint8Array[] = [];
    let size = 0;
    let to = from;
    while (size < maxJoinedBytes) {
      const entry = ring.at(to + 1);
      if (entry === undefined) break;
      entry.frame ??= encode(entryFrame(audience, entry));
      parts.push(entry.frame);
      size += entry.frame.length;
      to = entry.seq;
    }
    return { from, to, bytes: concat(parts, size), envelopes: parts.length };
  }

  /** Whether joining again would come to the same. */
  const isWhole = (ring: Ring<FramedEntry>, { to, bytes }: Frames): boolean =>
    to === ring.position() || bytes.length >= maxJoinedBytes;

  return {
    after(ring, from) {
      if (frames?.from !== from || !isWhole(ring, frames)) frames = join(ring, from);
      return frames;
    },
    position(seq) {
      if (position?.seq !== seq)
        position = { seq, bytes: encode(positionFrame(audience, seq)), envelopes: 0 };
      return position;
    },
  };
}

/** One array of bytes; a single part as it is. */
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
