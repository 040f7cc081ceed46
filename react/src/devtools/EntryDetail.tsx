// The details of one cached entry.

import type { ReactElement } from 'react';
import { Detail, NoDetail } from './Detail.tsx';
import type { CacheLine } from './entries.ts';
import { markStale, refetch } from './entries.ts';
import { Refetch, Stale } from './icons.tsx';
import { Json } from './Json.tsx';
import type { Live, Session } from './session.ts';
import { count, duration } from './wording.ts';

interface EntryDetailProps {
  readonly line: CacheLine | null;
  readonly takenAt: number;
  readonly session: Session;
  readonly onClose: () => void;
}

export function EntryDetail({ line, takenAt, session, onClose }: EntryDetailProps): ReactElement {
  if (line === null)
    return <NoDetail>Select an entry to see its data, refetch it, or mark it stale.</NoDetail>;
  const { kind, name, label, standing, levels, watchers, fetchedAt, data, params, meta } = line;
  return (
    <Detail
      mark={
        <span className="standing" data-standing={standing}>
          {standing}
        </span>
      }
      title={`${name} ${label}`}
      onClose={onClose}
    >
      <p className="facts">
        <span>{kind}</span>
        <span>{fetchedAt === null ? 'never fetched' : `fetched ${duration(takenAt - fetchedAt)} ago`}</span>
        <span>{count(watchers, 'watcher')}</span>
        {levels.length > 0 ? <span>{levels.join(', ')}</span> : null}
      </p>
      {meta.error === null ? null : <p className="error">{meta.error}</p>}
      {session.live === null ? null : <Actions line={line} live={session.live} />}
      <Json label="Data" value={data} />
      {params === null ? null : <Json label="Params" value={params} />}
      <Json label="Meta" value={meta} />
    </Detail>
  );
}

const Actions = ({ line, live: { dl } }: { line: CacheLine; live: Live }): ReactElement => (
  <div className="actions">
    <button type="button" className="button strong" onClick={() => refetch(dl, line)}>
      <Refetch /> Refetch
    </button>
    <button
      type="button"
      className="button"
      title="A watched entry is refetched immediately"
      onClick={() => markStale(dl, line)}
    >
      <Stale /> Mark stale
    </button>
  </div>
);
