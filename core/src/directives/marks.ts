// What a directive only marked stale: entries that nobody fetches now (D-REG-3, `bulk.refetch: 'watched'`, and the legacy
// `invalidate`). The event's detail names what is fetched and what came inline; this stands beside it.

import type { Target } from '../types/delivery.ts';

const marks = new WeakMap<object, readonly Target[]>();

export function noteMarks<D extends object>(detail: D, marked: readonly Target[]): D {
  if (marked.length > 0) marks.set(detail, marked);
  return detail;
}

/**
 * The levels and collection entries that a directive marked stale without asking for them: they are fetched when they are
 * read again. For whoever shows what a directive did, such as the devtools.
 *
 * @param detail of a `directive:processed` event, as it was given to the callback
 */
export const markedBy = (detail: object): readonly Target[] => marks.get(detail) ?? none;

const none: readonly Target[] = [];
