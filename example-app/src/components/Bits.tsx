// Small components that the others share.

import { AlertTriangle, ArrowDown, ChevronsUp, Equal, Loader2, Lock } from 'lucide-react';
import { useState, type CSSProperties, type ReactNode } from 'react';
import { useLifecycle } from '@edict/react';
import { messageOf } from '../api.ts';
import { useFocusAfter } from '../focus.ts';
import type { Person, Priority, Status, Team } from '../model.ts';
import { useNow } from '../now.tsx';
import { ago, fullTime, initials, number, priorityWords, statusWords } from '../words.ts';

/** A hue. The style sheet defines the rest of the color. */
const hue = (degrees: number): CSSProperties => ({ '--hue': degrees });

export function Avatar({ person, size = 'm' }: { person: Person | null; size?: 's' | 'm' | 'l' }) {
  if (person === null) return <span className={`avatar avatar-${size} avatar-none`} aria-hidden="true" />;
  return (
    <span className={`avatar avatar-${size}`} style={hue(person.hue)} aria-hidden="true">
      {initials(person.name)}
    </span>
  );
}

/** A customer, known by name only. */
export function CustomerAvatar({ name }: { name: string }) {
  return (
    <span className="avatar avatar-s avatar-customer" aria-hidden="true">
      {initials(name)}
    </span>
  );
}

export function StatusBadge({ status }: { status: Status }) {
  return (
    <span className="badge" data-status={status}>
      <span className="badge-dot" aria-hidden="true" />
      {statusWords[status]}
    </span>
  );
}

const priorityIcons = { urgent: AlertTriangle, high: ChevronsUp, normal: Equal, low: ArrowDown };

export function PriorityMark({ priority }: { priority: Priority }) {
  const Icon = priorityIcons[priority];
  return (
    <span className="priority" data-priority={priority} title={`${priorityWords[priority]} priority`}>
      <Icon size={15} aria-hidden="true" />
      <span className="unseen">{priorityWords[priority]}</span>
    </span>
  );
}

export function TeamName({ team }: { team: Team | null }) {
  if (team === null) return null;
  return (
    <span className="team">
      <TeamDot team={team} />
      <span className="cut">{team.name}</span>
    </span>
  );
}

export function TeamDot({ team }: { team: Team }) {
  return <span className="team-dot" style={hue(team.hue)} aria-hidden="true" />;
}

export function PrivateMark() {
  return (
    <span className="private" title="Private to the team">
      <Lock size={13} aria-hidden="true" />
      <span className="unseen">Private to the team</span>
    </span>
  );
}

export function Ago({ at }: { at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={fullTime(at)}>
      {ago(at, now)}
    </time>
  );
}

/** A number that lights up when it changes, and not when it first appears. */
export function LiveNumber({ value }: { value: number }) {
  const [shown, setShown] = useState({ value, changes: 0 });
  if (shown.value !== value) setShown({ value, changes: shown.changes + 1 });
  return (
    <span className="live-number">
      {shown.changes > 0 && <span key={shown.changes} className="flash" aria-hidden="true" />}
      {number(value)}
    </span>
  );
}

export function Spinner({ label }: { label?: string }) {
  return (
    <span className="spinner">
      <Loader2 size={16} aria-hidden="true" />
      {label !== undefined && <span className="unseen">{label}</span>}
    </span>
  );
}

/** A grey bar in place of text that is loading. It has the height of the text, so that nothing moves. */
export function Bone({ width }: { width: string }) {
  return <span className="bone" style={{ width }} aria-hidden="true" />;
}

interface EmptyProps {
  icon: ReactNode;
  title: string;
  /** Whether it replaces a whole page. Its title is then the heading of the page. */
  isPage?: boolean;
  /** The way on. */
  action?: ReactNode;
  children?: ReactNode;
}

export function Empty({ icon, title, isPage = false, action, children }: EmptyProps) {
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <div className="empty">
      <span className="empty-icon" aria-hidden="true">
        {icon}
      </span>
      <Heading className="empty-title">{title}</Heading>
      {children !== undefined && <div className="empty-text">{children}</div>}
      {action !== undefined && <div className="empty-action">{action}</div>}
    </div>
  );
}

/** A failed read. It is retried on request, and when the stream is connected again. */
export function Failure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  useLifecycle('sse:open', onRetry);
  useFocusAfter('#page');
  return (
    <div className="failure" role="alert">
      <AlertTriangle size={18} aria-hidden="true" />
      <p>{messageOf(error)}</p>
      <button type="button" className="button" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}
