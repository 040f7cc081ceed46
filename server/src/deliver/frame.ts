// The text of the stream. `id` and `retry` contain the hub's own numbers only. Everything else is JSON, which escapes line breaks.

import { seqMark, type LogEntry } from '../log/backplane.ts';

const encoder = new TextEncoder();

/** UTF-8 bytes. Returns a `Buffer` on Node, where that is faster. */
export function encode(text: string): Uint8Array {
  return typeof Buffer === 'function' ? Buffer.from(text, 'utf8') : encoder.encode(text);
}

/** The envelope of an entry, with its sequence number inserted. `audience` is JSON text. */
function envelope(audience: string, entry: LogEntry): string {
  const seq = String(entry.seq);
  return `{"type":"directives","seq":${seq},"audience":${audience},"directives":${entry.payload.replaceAll(seqMark, seq)}}`;
}

/** The frame of an entry (document §4.2). `audience` is JSON text. */
export function entryFrame(audience: string, entry: LogEntry): string {
  return `id: ${entry.seq}\nevent: message\ndata: ${envelope(audience, entry)}\n\n`;
}

/** An empty envelope, which is a position and not a step. Used for heartbeats and after a loss (D-HUB-4, D-SSE-7). */
export function positionFrame(audience: string, seq: number, more = ''): string {
  return `id: ${seq}\nevent: message\ndata: {"type":"directives","seq":${seq},"audience":${audience},"directives":[]${more}}\n\n`;
}

/** The position after the replay, and whether the replay was complete. */
export function greetingFrame(
  audience: string,
  seq: number,
  recovered: boolean,
  heartbeatMs: number,
): string {
  return positionFrame(audience, seq, `,"recovered":${recovered},"heartbeat_ms":${heartbeatMs}`);
}

/** The wait before the client reconnects, in milliseconds. */
export function retryFrame(ms: number): string {
  return `retry: ${Math.round(ms)}\n\n`;
}

/**
 * An upper bound for the part of an envelope around its payload: its own members, and an escaped name of 128
 * units.
 */
const maxBytesAround = 1000;

/**
 * The bytes of an envelope with the longest sequence number, for the limit on its size. When an upper bound is already within the limit,
 * returns that bound, so that most envelopes are not encoded twice. One UTF-16 unit has at most three bytes, and the place of a sequence
 * number is part of a longer ASCII text.
 */
export function envelopeBytes(audience: string, payload: string, limit: number): number {
  const bound = payload.length * 3 + maxBytesAround;
  if (bound <= limit) return bound;
  const longest = { seq: Number.MAX_SAFE_INTEGER, at: 0, payload };
  return encode(envelope(JSON.stringify(audience), longest)).length;
}
