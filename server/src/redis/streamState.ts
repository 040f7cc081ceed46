// A whole log at one time, and how new entries relate to the part that a reader already has. Pure.

import type { LogView } from '../log/backplane.ts';
import { listOf, readEntries, unreadable, type LogPosition, type StreamEntry } from './replies.ts';

/** A whole log at one time. */
export interface StreamState {
  /** All entries, including a mark. */
  readonly entries: readonly StreamEntry[];
  /** The newest entry, from which reading continues. */
  readonly end: LogPosition;
  readonly view: LogView;
  /** The log as it was when it was created. Null when that part was trimmed. */
  readonly beginning: LogView | null;
}

/** Reads the reply of `readScript`. */
export function readStreamState(reply: unknown): StreamState {
  const [, list] = listOf(reply);
  const entries = readEntries(list);
  const [first] = entries;
  const end = entries.at(-1);
  if (first === undefined || end === undefined) throw unreadable();
  const envelopes = entries.filter(({ mark }) => mark === null);
  const view: LogView = {
    position: end.seq,
    entries: envelopes.map(({ seq, at, payload }) => ({ seq, at, payload })),
    reachSeq: first.mark === null ? first.seq - 1 : first.seq,
    reachAt: reachOf(first),
    // A log that was lost may have contained entries. A needless resync is better than a missed change.
    emitted: envelopes.length > 0 || first.mark !== 'new',
  };
  const beginning = first.mark === null ? null : { ...view, position: first.seq, entries: [] };
  return { entries, end, view, beginning };
}

/** The time after which the log is complete: its creation, or the newest entry that is gone (D-HUB-3). */
function reachOf(first: StreamEntry): number {
  if (first.mark === 'new') return first.at;
  return first.mark === 'lost' ? first.at + 1 : Math.floor(first.previous / 1000) + 1;
}

/** The entries after a position. Null when they do not continue it, because an entry is missing or was replaced. */
export function continuation(from: LogPosition, entries: readonly StreamEntry[]): StreamEntry[] | null {
  const fresh = entries.filter(({ seq }) => seq > from.seq);
  let last = from;
  for (const entry of fresh) {
    if (entry.mark !== null || entry.seq !== last.seq + 1 || entry.previous !== last.micros) return null;
    last = entry;
  }
  return fresh;
}

/** The entries that a reader at this position lacks. Null when the log does not continue the position. */
export function missedSince(from: LogPosition, { entries, end }: StreamState): StreamEntry[] | null {
  const isSameEnd = end.seq === from.seq && end.micros === from.micros;
  return end.seq > from.seq || isSameEnd ? continuation(from, entries) : null;
}

/**
 * Whether the log has another history than the one that the position is in. A log that was created before the entry at the position was
 * appended is on another server. Other nodes have moved there before, so they lack that entry.
 */
export const isOtherHistory = (from: LogPosition, entries: readonly StreamEntry[]): boolean =>
  entries.some(({ seq, micros, previous, mark }) =>
    mark === null ? seq === from.seq + 1 && previous !== from.micros : micros <= from.micros,
  );
