// The screen of one person: the queue, as that person's own data layer has it.

import { useEffect, useRef } from 'react';
import { CheckCircle2, RotateCcw } from 'lucide-react';
import { DLProvider, useCollection, useConnection, useItem, useLifecycle, useMutation } from '@edict/react';
import { Button } from '../components/Button.tsx';
import { useIsInterrupted } from '../interrupted.ts';
import { useFaults, useSession, useVerdicts } from './context.tsx';
import { sides } from './journal.ts';
import { LoadError } from './LoadError.tsx';
import { timeWords } from './measures.ts';
import type { Person } from './person.ts';
import { Face, TicketLine } from './TicketLine.tsx';

interface Props {
  person: Person;
  /** Receives a sentence when the other person's screen shows a change of this person. */
  onSeen: (sentence: string) => void;
}

export function Screen({ person, onSeen }: Props) {
  return (
    <DLProvider dl={person.dl}>
      <Queue person={person} onSeen={onSeen} />
    </DLProvider>
  );
}

function Queue({ person, onSeen }: Props) {
  const { data, error, isPending, refresh } = useCollection(person.tickets);
  const { status } = useConnection();
  return (
    <section
      className="screen"
      data-screen={person.name}
      aria-label={`${person.name}'s screen`}
      aria-busy={isPending}
    >
      <header className="screen-head">
        <Face name={person.name} />
        <h2>
          {person.name}
          <span className="screen-kind">’s browser</span>
        </h2>
        <Line person={person} />
      </header>
      {error !== null && data.ids.length === 0 && <NotLoaded error={error} onRetry={refresh} />}
      {status === 'off' && !isPending && (
        <p className="screen-note" role="alert">
          The server has closed this room.
          <button type="button" className="button" onClick={() => location.reload()}>
            Open a new one
          </button>
        </p>
      )}
      {isPending && <p className="screen-note">Loading …</p>}
      <ul className="tickets">
        {data.ids.map((id) => (
          <TicketRow key={id} person={person} id={id} onSeen={onSeen} />
        ))}
      </ul>
    </section>
  );
}

/** Loads again when the connection is back. */
function NotLoaded({ error, onRetry }: { error: Error; onRetry: () => void }) {
  useLifecycle('sse:open', onRetry);
  return <LoadError error={error} onRetry={onRetry} />;
}

/** The state of this person's connection and screen. */
function Line({ person }: { person: Person }) {
  const { status } = useConnection();
  const isInterrupted = useIsInterrupted(status);
  const { delayMs } = useFaults(person.wire);
  const behind = useVerdicts()[person.name]?.length ?? 0;
  if (status === 'off') return <Tag tone="amber">Closed</Tag>;
  if (status !== 'open') return <Tag tone="amber">{isInterrupted ? 'Reconnecting …' : 'Connecting …'}</Tag>;
  if (behind > 0) return <Tag tone="amber">{behind === 1 ? '1 row behind' : `${behind} rows behind`}</Tag>;
  if (delayMs > 0) return <Tag tone="amber">Late</Tag>;
  return <Tag tone="green">Live</Tag>;
}

function Tag({ tone, children }: { tone: 'green' | 'amber'; children: React.ReactNode }) {
  return (
    <span className="tag" data-tone={tone}>
      {children}
    </span>
  );
}

function TicketRow({ person, id, onSeen }: Props & { id: number }) {
  const { measures } = useSession();
  const { data } = useItem(person.ticket, id);
  const behind = useVerdicts()[person.name]?.find((one) => one.id === id);
  const isSolved = data?.status === 'solved';
  const other = sides.find((side) => side !== person.name) ?? person.name;
  const change = useMutation(async (status: 'open' | 'solved', { fetch }) => {
    const from = performance.now();
    const ticket = await person.change(id, { status }, fetch);
    const word = status === 'solved' ? 'solved' : 'reopened';
    void measures.whenShown(other, ticket).then((at) => {
      onSeen(`${person.name} ${word} #${id}; ${other} saw it ${timeWords(at - from)} later.`);
    });
  });

  useLifecycle('sse:open', change.reset);

  // Effects run after the browser has the row, so this is the time of the screen.
  const painted = useRef<number>(0);
  useEffect(() => {
    if (data === null || painted.current === data.version) return;
    painted.current = data.version;
    measures.shown(person.name, data);
  }, [data, measures, person.name]);

  if (data === null) return null;
  return (
    <TicketLine ticket={data} behind={behind !== undefined}>
      <Button
        type="button"
        className="button ticket-act"
        isOff={change.isRunning}
        aria-label={`${isSolved ? 'Reopen' : 'Solve'} #${id} as ${person.name}`}
        onClick={() => void change.run(isSolved ? 'open' : 'solved').catch(() => {})}
      >
        {isSolved ? (
          <RotateCcw size={14} aria-hidden="true" />
        ) : (
          <CheckCircle2 size={14} aria-hidden="true" />
        )}
        <span>{isSolved ? 'Reopen' : 'Solve'}</span>
      </Button>
      {change.error !== null && (
        <p className="ticket-error" role="alert">
          Not sent: {change.error.message}
        </p>
      )}
    </TicketLine>
  );
}
