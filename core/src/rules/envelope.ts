// What an envelope says (document §2.3, D-SSE-7, D-SSE-11). Anything from a wire is unknown until it was read here.

import { ENVELOPE_TYPE } from '../protocol/names.ts';
import { fail } from './describe.ts';

/** An envelope after reading. An empty list of directives makes it a position. */
export interface ReadEnvelope {
  /** Null where the envelope names none. */
  readonly audience: string | null;
  readonly source: string | null;
  /** Null where it carries no number: it does not count then (D-SSE-6). */
  readonly seq: number | null;
  readonly directives: readonly unknown[];
  /** Whether the server says that it could not replay what was missed. */
  readonly isReplayMiss: boolean;
  /** A greeting is no heartbeat (D-SSE-5). */
  readonly isGreeting: boolean;
  readonly heartbeatMs: number | null;
}

/** The subscribed audiences, in order (D-SSE-10). */
export function audiencesOf(audience: string | readonly string[]): readonly string[] {
  return typeof audience === 'string' ? [audience] : audience;
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const number = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** Reads an envelope; null for a type that is not ours to know. Throws a `TypeError` that says what is wrong with it. */
export function readEnvelope(value: unknown): ReadEnvelope | null {
  if (typeof value !== 'object' || value === null) return fail('an envelope', 'be an object', value);
  // An object: every member is unknown until looked at.
  const given = value as Record<string, unknown>;
  const { type, audience, directives } = given;
  if (typeof type !== 'string') return fail('envelope.type', 'be a string', type);
  const isHello = type === 'hello';
  if (type !== ENVELOPE_TYPE && !isHello) return null; // D-SSE-11
  if (audience != null && typeof audience !== 'string')
    return fail('envelope.audience', 'be a string', audience);
  const list: unknown = isHello ? [] : directives;
  if (!Array.isArray(list)) return fail('envelope.directives', 'be an array', list);
  const heartbeatMs = number(given['heartbeat_ms']);
  return {
    audience: text(audience),
    source: text(given['source']),
    seq: number(isHello ? given['last_seq'] : given['seq']),
    directives: list,
    isReplayMiss: given['recovered'] === false,
    isGreeting: isHello || heartbeatMs !== null || typeof given['recovered'] === 'boolean',
    heartbeatMs: heartbeatMs !== null && heartbeatMs > 0 ? heartbeatMs : null,
  };
}
