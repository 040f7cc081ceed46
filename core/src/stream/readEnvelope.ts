// Reads envelopes (document §2.3, D-SSE-7, D-SSE-11). Data from the network is unknown until it is read here.

import { ENVELOPE_TYPE } from '../protocol/names.ts';
import { aList, aNumber, anObject, aText, isText, must } from '../config/checks.ts';

/** An envelope after reading. An empty list of directives makes it a position. */
export interface ReadEnvelope {
  /** Null where the envelope names none. */
  readonly audience: string | null;
  readonly source: string | null;
  /** Null without a usable number. The envelope is then applied without counting (D-SSE-6). */
  readonly seq: number | null;
  /** A number that cannot be a sequence number; null if there is none. */
  readonly unusableSeq: number | null;
  readonly directives: readonly unknown[];
  /** Whether the server could not replay the missed messages. */
  readonly isReplayMiss: boolean;
  /** A greeting is no heartbeat (D-SSE-5). */
  readonly isGreeting: boolean;
  readonly heartbeatMs: number | null;
}

/** The subscribed audiences, in order (D-SSE-10). */
export function audiencesOf(audience: string | readonly string[]): readonly string[] {
  return typeof audience === 'string' ? [audience] : audience;
}

const textOrNull = (value: unknown): string | null => (isText(value) ? value : null);
const numberOrNull = (value: unknown): number | null => (aNumber.accepts(value) ? value : null);

/** Beyond the safe integers, `last + 1` is not exact, and a hub refuses such a `last_seq`. */
export const isSeq = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** Reads an envelope. Returns null for an unknown type. Throws a `TypeError` that names the fault. */
export function readEnvelope(value: unknown): ReadEnvelope | null {
  const given = must('an envelope', anObject, value);
  const isHello = must('envelope.type', aText, given['type']) === 'hello';
  if (given['type'] !== ENVELOPE_TYPE && !isHello) return null; // D-SSE-11
  const audience = given['audience'] ?? null;
  if (audience !== null) must('envelope.audience', aText, audience);
  const directives = isHello ? [] : must('envelope.directives', aList, given['directives']);
  const heartbeatMs = numberOrNull(given['heartbeat_ms']);
  const seq = isHello ? given['last_seq'] : given['seq'];
  const isUsable = isSeq(seq);
  return {
    audience: textOrNull(audience),
    source: textOrNull(given['source']),
    seq: isUsable ? seq : null,
    unusableSeq: !isUsable && typeof seq === 'number' ? seq : null,
    directives,
    isReplayMiss: given['recovered'] === false,
    isGreeting: isHello || heartbeatMs !== null || typeof given['recovered'] === 'boolean',
    heartbeatMs: heartbeatMs !== null && heartbeatMs > 0 ? heartbeatMs : null,
  };
}
