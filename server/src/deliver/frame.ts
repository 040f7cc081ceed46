// Text of the stream. `id`, `event` and `retry` come from own numbers only; all else passes through JSON, which escapes line ends.

import { seqMark, type LogEntry } from '../log/backplane.ts';

const encoder = new TextEncoder();

/** UTF-8 bytes. A `Buffer` on Node, where that is faster. */
export function encode(text: string): Uint8Array {
  return typeof Buffer === 'function' ? Buffer.from(text, 'utf8') : encoder.encode(text);
}

/** The envelope of an entry, its number filled in. `audience` is JSON text. */
function envelope(audience: string, entry: LogEntry): string {
  const seq = String(entry.seq);
  return `{"type":"directives","seq":${seq},"audience":${audience},"directives":${entry.payload.replaceAll(seqMark, seq)}}`;
}

/** The frame of an entry (document §4.2). `audience` is JSON text. */
export function entryFrame(audience: string, entry: LogEntry): string {
  return `id: ${entry.seq}\nevent: message\ndata: ${envelope(audience, entry)}\n\n`;
}

/** An empty envelope: a position, not a step. Heartbeats and what is told after a loss (D-HUB-4, D-SSE-7). */
export function positionFrame(audience: string, seq: number, more = ''): string {
  return `id: ${seq}\nevent: message\ndata: {"type":"directives","seq":${seq},"audience":${audience},"directives":[]${more}}\n\n`;
}

/** The position after the replay, with whether it was complete (api.md, "On the wire"). */
export function greetingFrame(
  audience: string,
  seq: number,
  recovered: boolean,
  heartbeatMs: number,
): string {
  return positionFrame(audience, seq, `,"recovered":${recovered},"heartbeat_ms":${heartbeatMs}`);
}

/** How long the client waits before it comes back, milliseconds. */
export function retryFrame(ms: number): string {
  return `retry: ${Math.round(ms)}\n\n`;
}

/** More than what an envelope has beside its payload: its own members, and a name of 128 units, each escaped. */
const mostAround = 1000;

/**
 * The bytes of an envelope with the longest number there is, for the limit on its size; or a bound on them that is within the limit, which
 * spares encoding every envelope twice. A unit of text is three bytes at most, and a number's place is part of a longer text that is ASCII.
 */
export function envelopeBytes(audience: string, payload: string, limit: number): number {
  const most = payload.length * 3 + mostAround;
  if (most <= limit) return most;
  const longest = { seq: Number.MAX_SAFE_INTEGER, at: 0, payload };
  return encode(envelope(JSON.stringify(audience), longest)).length;
}
