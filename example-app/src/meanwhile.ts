// What others did since a draft was begun. Facts in, sentences out.

import type { Ticket } from './model.ts';
import { changeWords, type Names } from './words.ts';

/** A place in the ticket's life: the newest entries that the writer has seen. */
export interface Seen {
  changeId: number;
  commentId: number;
}

export const seenOf = (ticket: Ticket): Seen => ({
  changeId: ticket.changes.at(-1)?.id ?? 0,
  commentId: ticket.comments.at(-1)?.id ?? 0,
});

/** One sentence for each; the writer's own doings are no news. */
export function happenedSince(ticket: Ticket, seen: Seen, myId: number, names: Names): string[] {
  const nameOf = (id: number | null): string => names.person(id)?.name ?? 'The customer';
  return [
    ...ticket.changes
      .filter((change) => change.id > seen.changeId && change.actorId !== myId)
      .map((change) => `${nameOf(change.actorId)} ${changeWords(change, names)}.`),
    ...ticket.comments
      .filter((comment) => comment.id > seen.commentId && comment.authorId !== myId)
      .map((comment) => `${nameOf(comment.authorId)} wrote a comment.`),
  ];
}
