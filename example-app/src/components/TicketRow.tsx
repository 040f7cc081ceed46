// One row. It reads its ticket itself: when one ticket changes, one row renders.

import { memo, useState } from 'react';
import { MessageSquare } from 'lucide-react';
import { useItem } from '@edict/react';
import { useNames } from '../desk.tsx';
import { useRetry } from '../retry.ts';
import { Link } from '../router.tsx';
import { unknownPerson } from '../words.ts';
import { Ago, Avatar, Bone, PriorityMark, PrivateMark, StatusBadge, TeamName } from './Bits.tsx';

interface Props {
  id: number;
  href: string;
  isSelected: boolean;
  isOpen: boolean;
  /** Null: there is nothing to select here. */
  onToggle: ((id: number, isRange: boolean) => void) | null;
}

export const TicketRow = memo(function TicketRow({ id, href, isSelected, isOpen, onToggle }: Props) {
  const { data: ticket, meta, refresh } = useItem('ticket', id);
  const names = useNames();

  if (ticket === null) {
    if (meta.error !== null) return <RowFailure id={id} message={meta.error} onRetry={refresh} />;
    if (meta.isLoading) return <RowBones hasCheck={onToggle !== null} />;
    return <li className="row row-gone">No longer available</li>;
  }
  const assignee = names.person(ticket.assigneeId);
  return (
    <li
      className="row"
      data-open={isOpen || undefined}
      data-selected={isSelected || undefined}
      data-ticket={id}
    >
      <Flash stamp={ticket.updatedAt} />
      {onToggle !== null && (
        <label className="row-check">
          <input
            type="checkbox"
            checked={isSelected}
            onChange={(event) =>
              onToggle(id, event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey)
            }
          />
          <span className="unseen">Select ticket {id}</span>
        </label>
      )}
      <span className="row-status">
        <StatusBadge status={ticket.status} />
      </span>
      <div className="row-main">
        <Link className="row-subject cut" to={href} aria-current={isOpen ? 'true' : undefined} data-row={id}>
          {ticket.subject}
        </Link>
        <span className="row-under">
          <span className="row-id">#{id}</span> <span className="cut">{ticket.requester}</span>
          {ticket.visibility === 'team' && <PrivateMark />}
          {ticket.commentCount > 0 && (
            <span className="row-comments">
              <MessageSquare size={12} aria-hidden="true" />
              {ticket.commentCount}
              <span className="unseen">{ticket.commentCount === 1 ? ' comment' : ' comments'}</span>
            </span>
          )}
        </span>
      </div>
      <span className="row-team">
        <TeamName team={names.team(ticket.teamId)} />
      </span>
      <span className="row-assignee">
        <Avatar person={assignee} size="s" />
        <span className="row-assignee-name cut">
          {ticket.assigneeId === null ? 'Unassigned' : (assignee?.name ?? unknownPerson)}
        </span>
      </span>
      <span className="row-priority">
        <PriorityMark priority={ticket.priority} />
      </span>
      <span className="row-time">
        <Ago at={ticket.updatedAt} />
      </span>
    </li>
  );
});

/** Retried automatically. A retry button in each of fifty rows would be useless. */
function RowFailure({ id, message, onRetry }: { id: number; message: string; onRetry: () => void }) {
  useRetry(onRetry);
  return (
    <li className="row row-failed">
      <span>#{id} could not be loaded</span>
      <small>{message}</small>
    </li>
  );
}

/** Lights up for a moment when the ticket changes under one's eyes; not when the row first appears. */
function Flash({ stamp }: { stamp: string }) {
  const [first] = useState(stamp);
  return stamp === first ? null : <span key={stamp} className="flash" aria-hidden="true" />;
}

export function RowBones({ hasCheck }: { hasCheck: boolean }) {
  return (
    <li className="row row-bones">
      {hasCheck && <span className="row-check" />}
      <span className="row-status">
        <Bone width="4.5rem" />
      </span>
      <div className="row-main">
        <span className="row-subject">
          <Bone width="min(22rem, 80%)" />
        </span>
        <span className="row-under">
          <Bone width="9rem" />
        </span>
      </div>
      <span className="row-team">
        <Bone width="5rem" />
      </span>
      <span className="row-assignee">
        <Avatar person={null} size="s" />
        <span className="row-assignee-name">
          <Bone width="6rem" />
        </span>
      </span>
      <span className="row-priority" />
      <span className="row-time">
        <Bone width="3rem" />
      </span>
    </li>
  );
}
