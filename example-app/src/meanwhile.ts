// The changes that other users made since a draft was started.

import type { Change, Ticket } from './model.ts';
import { fieldWords, plural, valueWords, type Names } from './words.ts';

/** The newest change and the newest comment that the author of a draft has seen. */
export interface Seen {
  changeId: number;
  commentId: number;
}

export const seenOf = (ticket: Ticket): Seen => ({
  changeId: ticket.changes.at(-1)?.id ?? 0,
  commentId: ticket.comments.at(-1)?.id ?? 0,
});

/** A field before and after all of its changes. */
export interface FieldDiff {
  field: string;
  from: string;
  to: string;
}

export interface News {
  /** `5 changes by Priya Raman` */
  summary: string;
  diffs: FieldDiff[];
}

/** Null: other users changed nothing. */
export function newsSince(ticket: Ticket, seen: Seen, myId: number, names: Names): News | null {
  const changes = ticket.changes.filter(({ id, actorId }) => id > seen.changeId && actorId !== myId);
  const comments = ticket.comments.filter(({ id, authorId }) => id > seen.commentId && authorId !== myId);
  const count = changes.length + comments.length;
  if (count === 0) return null;
  const people = new Set([
    ...changes.map(({ actorId }) => actorId),
    ...comments.map(({ authorId }) => authorId),
  ]);
  const nameOf = (id: number | null): string => names.person(id)?.name ?? ticket.requester;
  const by = people.size > 2 ? `${people.size} people` : [...people].map(nameOf).join(' and ');
  return {
    summary: `${plural(count, 'change')} by ${by}`,
    diffs: [
      ...diffsOf(changes, names),
      ...(comments.length === 0 ? [] : [{ field: 'Comments', from: '', to: `${comments.length} new` }]),
    ],
  };
}

/** Several changes of one field become one line. */
function diffsOf(changes: readonly Change[], names: Names): FieldDiff[] {
  const byField = new Map<string, { first: Change; last: Change }>();
  for (const change of changes) {
    const known = byField.get(change.kind);
    byField.set(change.kind, { first: known?.first ?? change, last: change });
  }
  return [...byField.values()].map(({ first, last }) => ({
    field: fieldWords[first.kind],
    from: valueWords(first, first.from, names),
    to: last.kind === 'body' ? 'changed' : valueWords(last, last.to, names),
  }));
}
