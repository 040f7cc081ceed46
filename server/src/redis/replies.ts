// Redis's answers, read. Pure. What does not look as the scripts make it is an error that says so.

import type { LogEntry, LogView } from '../log/backplane.ts';

/** An entry of a stream: a numbered envelope, or the mark of a counter that was created anew. */
export interface StreamEntry extends LogEntry {
  /** As in its id: to read on from here. */
  readonly micros: number;
  /** The microseconds of the entry before it. */
  readonly previous: number;
  readonly mark: 'new' | 'lost' | null;
}

/** A reader's place: number and microseconds of the last entry that it has. */
export interface Place {
  readonly seq: number;
  readonly micros: number;
}

/** The id of the entry at a place. */
export const idOf = ({ seq, micros }: Place): string => `${seq}-${micros}`;

/** Entries as `XRANGE` and `XREAD` answer them. */
export function readEntries(reply: unknown): StreamEntry[] {
  return listOf(reply).map((pair) => {
    const [id, fields] = listOf(pair);
    const [seq, micros] = String(id).split('-').map(Number);
    const [, previous, , , kind, payload] = listOf(fields);
    if (
      seq === undefined ||
      micros === undefined ||
      !Number.isSafeInteger(seq) ||
      typeof payload !== 'string'
    )
      throw unreadable();
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

/** The answer of `XREAD`: entries by key. Null, when nothing came, is none. */
export function readStreams(reply: unknown): [key: string, entries: unknown][] {
  if (reply === null) return [];
  return listOf(reply).map((pair) => {
    const [key, entries] = listOf(pair);
    return [String(key), entries];
  });
}

/** A whole log as one picture. */
export interface Picture {
  /** Redis's clock. */
  readonly micros: number;
  /** Where reading goes on. */
  readonly place: Place;
  readonly view: LogView;
  /** The log as it was when it was made anew; null where that is trimmed. */
  readonly beginning: LogView | null;
}

/** Reads the answer of `pictureScript`. */
export function readPicture(reply: unknown): Picture {
  const [micros, list] = listOf(reply);
  const held = readEntries(list);
  const [first] = held;
  const last = held.at(-1);
  if (first === undefined || last === undefined) throw unreadable();
  const entries = held.filter(({ mark }) => mark === null);
  const view: LogView = {
    position: last.seq,
    entries: entries.map(({ seq, at, payload }) => ({ seq, at, payload })),
    reachSeq: first.mark === null ? first.seq - 1 : first.seq,
    reachAt: reachOf(first),
    // Of a log that was lost nobody knows what it had: better a needless resync than a missed change.
    emitted: entries.length > 0 || first.mark !== 'new',
  };
  const beginning = first.mark === null ? null : { ...view, position: first.seq, entries: [] };
  return { micros: numberOf(micros), place: last, view, beginning };
}

/** From the creation of the keys on, or after the newest entry that is gone (D-HUB-3). */
function reachOf(first: StreamEntry): number {
  if (first.mark === 'new') return first.at;
  return first.mark === 'lost' ? first.at + 1 : Math.floor(first.previous / 1000) + 1;
}

/** Entries that continue after a place, as far as they do. `null` instead when they do not: something is missing or was replaced. */
export function continuation(place: Place, entries: readonly StreamEntry[]): StreamEntry[] | null {
  const fresh = entries.filter(({ seq }) => seq > place.seq);
  let last = place;
  for (const entry of fresh) {
    if (entry.mark !== null || entry.seq !== last.seq + 1 || entry.previous !== last.micros) return null;
    last = entry;
  }
  return fresh;
}

/** Whether the entry after a place continues another history than the one that the place is in. */
export const isOtherHistory = (place: Place, entries: readonly StreamEntry[]): boolean =>
  entries.some(
    ({ seq, previous, mark }) => mark === null && seq === place.seq + 1 && previous !== place.micros,
  );

/** A number that a script answered. */
export function numberOf(reply: unknown): number {
  const value = typeof reply === 'string' ? Number(reply) : reply;
  if (typeof value !== 'number' || !Number.isFinite(value)) throw unreadable();
  return value;
}

/** A list that Redis answered. */
export function listOf(reply: unknown): readonly unknown[] {
  if (!Array.isArray(reply)) throw unreadable();
  return reply;
}

/** What is said of it. */
export function unreadable(): Error {
  return new Error(
    'Redis answered something that this backplane did not write. Is keyPrefix used by something else?',
  );
}
