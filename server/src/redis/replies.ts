// Reads the replies of Redis. A reply in another form than the scripts produce is an error.

import type { LogEntry } from '../log/backplane.ts';
import { RedisError } from './safeError.ts';

/** An entry of a stream: an envelope, or the mark of a counter that was created. */
export interface StreamEntry extends LogEntry {
  /** The microseconds in the entry's id. */
  readonly micros: number;
  /** The microseconds of the previous entry. */
  readonly previous: number;
  readonly mark: 'new' | 'lost' | null;
}

/** Sequence number and microseconds of an entry. */
export interface LogPosition {
  readonly seq: number;
  readonly micros: number;
}

/** The id of the entry at a position. */
export const idOf = ({ seq, micros }: LogPosition): string => `${seq}-${micros}`;

/** The position of the entry with an id. */
export function positionOf(id: unknown): LogPosition {
  const text = String(id);
  const dash = text.indexOf('-');
  const seq = Number(text.slice(0, dash));
  if (dash === -1 || !Number.isSafeInteger(seq)) throw unreadable();
  return { seq, micros: Number(text.slice(dash + 1)) };
}

/** Reads entries in the form of `XRANGE` and `XREAD`. */
export function readEntries(reply: unknown): StreamEntry[] {
  return listOf(reply).map((pair) => {
    const [id, fields] = listOf(pair);
    const { seq, micros } = positionOf(id);
    const [, previous, , , kind, payload] = listOf(fields);
    if (typeof payload !== 'string') throw unreadable();
    return {
      seq,
      micros,
      at: Math.floor(micros / 1000),
      previous: Number(previous),
      payload,
      mark: kind === 'new' || kind === 'lost' ? kind : null,
    };
  });
}

/** Reads the reply of `XREAD`: entries by key. It is null when nothing arrived. */
export function readStreams(reply: unknown): [key: string, entries: unknown][] {
  if (reply === null) return [];
  return listOf(reply).map((pair) => {
    const [key, entries] = listOf(pair);
    return [String(key), entries];
  });
}

/** A number in a reply. */
export function numberOf(reply: unknown): number {
  const value = typeof reply === 'string' ? Number(reply) : reply;
  if (typeof value !== 'number' || !Number.isFinite(value)) throw unreadable();
  return value;
}

/** A list in a reply. */
export function listOf(reply: unknown): readonly unknown[] {
  if (!Array.isArray(reply)) throw unreadable();
  return reply;
}

/** The end of the error for data of another application. The scripts name the key before it. */
export const foreignText = 'contains data of another application. Use another keyPrefix.';

/** Creates that error for a reply that does not name its key. */
export const unreadable = (): RedisError =>
  new RedisError(`FOREIGN a key of this prefix ${foreignText}`, true);
