// What others did since a draft was begun. Facts in, sentences out.

import type { Ticket } from './model.ts';
import { changeWords, plural, type Names } from './words.ts';

/** A place in the ticket's life: the newest entries that the writer has seen. */
export interface Seen {
  changeId: number;
  commentId: number;
}

export const seenOf = (ticket: Ticket): Seen => ({
  changeId: ticket.changes.at(-1)?.id ?? 0,
  commentId: ticket.comments.at(-1)?.id ?? 0,
});

/** A change by another user. */
export interface Happening {
  key: string;
  sentence: string;
}

/** A sentence for each change, and one for the comments of each person; the writer's own doings are no news. */
export function happenedSince(ticket: Ticket, seen: Seen, myId: number, names: Names): Happening[] {
  const nameOf = (id: number | null): string => names.person(id)?.name ?? 'The customer';
  const changes = ticket.changes.filter(({ id, actorId }) => id > seen.changeId && actorId !== myId);
  const comments = ticket.comments.filter(({ id, authorId }) => id > seen.commentId && authorId !== myId);
  return [
    ...changes.map((change) => ({
      key: `change-${change.id}`,
      sentence: `${nameOf(change.actorId)} ${changeWords(change, names)}.`,
    })),
    ...[...new Set(comments.map(({ authorId }) => authorId))].map((id) => {
      const count = comments.filter(({ authorId }) => authorId === id).length;
      return {
        key: `comments-${id}`,
        sentence: `${nameOf(id)} wrote ${count === 1 ? 'a comment' : plural(count, 'comment')}.`,
      };
    }),
  ];
}
