// How a ticket looks on every screen of the demo, with Edict and without.

import { useState, type CSSProperties, type ReactNode } from 'react';
import { initials } from '../words.ts';
import { demoPeople, demoStatusWords, type DemoPerson, type DemoTicket } from './model.ts';

const hues: Record<DemoPerson, number> = { Priya: 340, Mara: 205, Tomás: 85, Yuki: 145, Elif: 290 };

export function Face({ name }: { name: DemoPerson | null }) {
  if (name === null) return <span className="avatar avatar-s avatar-none" aria-hidden="true" />;
  const style: CSSProperties = { '--hue': hues[name] };
  return (
    <span className="avatar avatar-s" style={style} aria-hidden="true">
      {initials(name)}
    </span>
  );
}

interface Props {
  ticket: DemoTicket;
  /** The text of the server's row, when this row is wrong. */
  wrong?: string | null | undefined;
  /** Whether the row is older than the server's, and will follow. */
  behind?: boolean;
  children?: ReactNode;
}

export function TicketLine({ ticket, wrong, behind = false, children }: Props) {
  const { id, subject, status, assignee, version, changedBy } = ticket;
  const [firstVersion] = useState(version);
  return (
    <li
      className="ticket"
      data-ticket={id}
      data-version={version}
      data-wrong={wrong !== undefined || undefined}
      data-behind={behind || undefined}
    >
      {/* A new version is a new element, so that its animation starts again. */}
      {version !== firstVersion && <span key={version} className="ticket-flash" aria-hidden="true" />}
      <Face name={demoPeople.find((one) => one === assignee) ?? null} />
      <div className="ticket-text">
        <p className="ticket-subject cut">{subject}</p>
        <p className="ticket-facts cut">
          <span data-part="id">#{id}</span>
          <span className="ticket-dot" aria-hidden="true" />
          <span data-part="assignee">{assignee ?? 'Unassigned'}</span>
          <span className="ticket-by"> · by {changedBy}</span>
        </p>
        {wrong !== undefined && (
          <p className="ticket-wrong">
            {wrong === null
              ? 'The server has removed it'
              : `The server has: ${wrong.replace(/^#\d+ · /, '')}`}
          </p>
        )}
      </div>
      <span className="badge" data-status={status}>
        <span className="badge-dot" aria-hidden="true" />
        <span data-part="status">{demoStatusWords[status]}</span>
      </span>
      {children}
    </li>
  );
}
