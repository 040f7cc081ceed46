// Reads envelopes (document §2.3, D-SSE-7, D-SSE-11). Data from the network is untrusted until it is validated
// here.

import { ENVELOPE_TYPE } from '../protocol/names.ts';
import { isList, isObject, isText, must } from '../config/checks.ts';

/** A validated envelope. If the list of directives is empty, it is a position. */
export interface ReadEnvelope {
  /** Null if the envelope names no audience. */
  readonly audience: string | null;
  readonly source: string | null;
  /**
   * The number as it was sent, so it is not always a valid sequence number (`isSeq`). Null if the envelope has
   * none.
   */
  readonly seq: number | null;
  readonly directives: readonly unknown[];
  /** Whether the server could not replay the missed messages. */
  readonly isReplayMiss: boolean;
  /** A greeting does not count as a heartbeat (D-SSE-5). */
  readonly isGreeting: boolean;
  readonly heartbeatMs: number | null;
}

/** Beyond the safe integers, `last + 1` is not exact, and a hub refuses such a `last_seq`. */
export const isSeq = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** An interval in milliseconds, of an envelope or a header; null for anything else. */
export function readInterval(value: unknown): number | null {
  const ms = Number(value);
  return ms > 0 && ms < Infinity ? ms : null;
}

/** Reads an envelope. Returns null for an unknown type. Throws a `TypeError` that names the fault. */
export function readEnvelope(value: unknown): ReadEnvelope | null {
  const given = must('an envelope', isObject, value);
  const { type, audience, source, directives, recovered } = given;
  const isHello = must('envelope.type', isText, type) === 'hello';
  if (type !== ENVELOPE_TYPE && !isHello) return null; // D-SSE-11
  const heartbeatMs = readInterval(given['heartbeat_ms']);
  const seq = isHello ? given['last_seq'] : given['seq'];
  return {
    audience: must('envelope.audience', isText, audience ?? '') || null,
    source: isText(source) ? source : null,
    seq: typeof seq === 'number' ? seq : null,
    directives: isHello ? [] : must('envelope.directives', isList, directives),
    isReplayMiss: recovered === false,
    isGreeting: isHello || heartbeatMs !== null || typeof recovered === 'boolean',
    heartbeatMs,
  };
}
