// One row. It reads its own ticket, so when a ticket changes, only one row renders.

import { memo, useState } from 'react';
import { MessageSquare } from 'lucide-react';
import { useItem, useLifecycle } from '@edict/react';
import { messageOf } from '../api.ts';
import { ticket } from '../data.ts';
import { useNames } from '../desk.tsx';
import { focusTicket } from '../focus.ts';
import { Link } from '../router.tsx';
import { unknownPerson } from '../words.ts';
import { Ago, Avatar, Bone, PriorityMark, PrivateMark, StatusBadge, TeamName } from './Bits.tsx';

interface Props {
  id: number;
  href: string;
  isSelected: boolean;
  isOpen: boolean;
  /** Null: the row cannot be selected. */
  onToggle: ((id: number, isRange: boolean) => void) | null;
}

export const TicketRow = memo(function TicketRow({ id, href, isSelected, isOpen, onToggle }: Props) {
  const { data, error, isPending, refresh } = useItem(ticket, id);
  const names = useNames();

  if (data === null) {
    if (error !== null) return <RowFailure id={id} error={error} onRetry={refresh} />;
    if (isPending) return <RowBones hasCheck={onToggle !== null} />;
    return <li className="row row-gone">No longer available</li>;
  }
  const assignee = names.person(data.assigneeId);
  return (
    <li
      className="row"
      data-open={isOpen || undefined}
      data-selected={isSelected || undefined}
      data-ticket={id}
    >
      <Flash stamp={data.updatedAt} />
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
        <StatusBadge status={data.status} />
      </span>
      <div className="row-main">
        <Link
          className="row-subject cut"
          to={href}
          aria-current={isOpen ? 'true' : undefined}
          data-row={id}
          onClick={isOpen ? focusTicket : undefined}
        >
          {data.subject}
        </Link>
        <span className="row-under">
          <span className="row-id">#{id}</span> <span className="cut">{data.requester}</span>
          {data.visibility === 'team' && <PrivateMark />}
          {data.commentCount > 0 && (
            <span className="row-comments">
              <MessageSquare size={12} aria-hidden="true" />
              {data.commentCount}
              <span className="unseen">{data.commentCount === 1 ? ' comment' : ' comments'}</span>
            </span>
          )}
        </span>
      </div>
      <span className="row-team">
        <TeamName team={names.team(data.teamId)} />
      </span>
      <span className="row-assignee">
        <Avatar person={assignee} size="s" />
        <span className="row-assignee-name cut">
          {data.assigneeId === null ? 'Unassigned' : (assignee?.name ?? unknownPerson)}
        </span>
      </span>
      <span className="row-priority">
        <PriorityMark priority={data.priority} />
      </span>
      <span className="row-time">
        <Ago at={data.updatedAt} />
      </span>
    </li>
  );
});

/** The list returned an id without its ticket, and the request for the ticket failed. */
function RowFailure({ id, error, onRetry }: { id: number; error: Error; onRetry: () => void }) {
  useLifecycle('sse:open', onRetry);
  return (
    <li className="row row-failed">
      <span>#{id} could not be loaded</span>
      <small>{messageOf(error)}</small>
    </li>
  );
}

/** Lights up briefly when the ticket changes while it is visible, but not when the row first appears. */
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
