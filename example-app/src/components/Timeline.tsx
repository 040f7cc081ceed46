// Comments and changes in chronological order.

import { useState } from 'react';
import { useNames } from '../desk.tsx';
import type { Change, Comment, Ticket } from '../model.ts';
import { changeWords } from '../words.ts';
import { Ago, Avatar, CustomerAvatar } from './Bits.tsx';

type Entry = { key: string; at: string; comment: Comment } | { key: string; at: string; change: Change };

export function Timeline({ ticket }: { ticket: Ticket }) {
  const entries: Entry[] = [
    ...ticket.comments.map((comment) => ({ key: `comment-${comment.id}`, at: comment.at, comment })),
    ...ticket.changes.map((change) => ({ key: `change-${change.id}`, at: change.at, change })),
  ].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  // Entries that were there at first do not move. New entries slide in.
  const [first] = useState(() => new Set(entries.map((entry) => entry.key)));

  return (
    <section className="timeline" aria-label="Comments and history">
      <ol>
        {entries.map(({ key, ...entry }) => {
          const shared = { ticket, isNew: !first.has(key) };
          return 'comment' in entry ? (
            <CommentEntry key={key} comment={entry.comment} {...shared} />
          ) : (
            <ChangeEntry key={key} change={entry.change} {...shared} />
          );
        })}
      </ol>
    </section>
  );
}

interface Props {
  ticket: Ticket;
  isNew: boolean;
}

function CommentEntry({ comment, ticket, isNew }: Props & { comment: Comment }) {
  const author = useNames().person(comment.authorId);
  return (
    <li className="message" data-by={author === null ? 'customer' : 'agent'} data-new={isNew || undefined}>
      <p className="message-head">
        {author === null ? <CustomerAvatar name={ticket.requester} /> : <Avatar person={author} size="s" />}
        <strong>{author?.name ?? ticket.requester}</strong>
        <span>{author?.title ?? 'Customer'}</span>
        <Ago at={comment.at} />
      </p>
      <p className="message-text">{comment.body}</p>
    </li>
  );
}

function ChangeEntry({ change, ticket, isNew }: Props & { change: Change }) {
  const names = useNames();
  return (
    <li className="change" data-new={isNew || undefined}>
      <span className="change-dot" aria-hidden="true" />
      <span>
        <strong>{names.person(change.actorId)?.name ?? ticket.requester}</strong> {changeWords(change, names)}{' '}
        <Ago at={change.at} />
      </span>
    </li>
  );
}
