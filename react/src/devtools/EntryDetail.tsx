// The details of one cached entry.

import type { ReactElement } from 'react';
import { useStore } from '../binding/useStore.ts';
import { Detail, NoDetail } from './Detail.tsx';
import type { CacheLine } from './entries.ts';
import { markStale, refetch } from './entries.ts';
import { Diff } from './Diff.tsx';
import { FaultChoice } from './FaultChoice.tsx';
import { Refetch, Stale } from './icons.tsx';
import { Json } from './Json.tsx';
import type { TimelineRecord } from './record.ts';
import { isCommit } from './record.ts';
import type { Live, Session } from './session.ts';
import { count, duration } from './wording.ts';

interface EntryDetailProps {
  readonly line: CacheLine | null;
  readonly takenAt: number;
  readonly session: Session;
  readonly onClose: () => void;
}

export function EntryDetail({ line, takenAt, session, onClose }: EntryDetailProps): ReactElement {
  const records = useStore(session.records);
  if (line === null)
    return <NoDetail>Select an entry to see its data, refetch it, or mark it stale.</NoDetail>;
  const { kind, name, label, standing, levels, watchers, lastFetchedAt, data, params, meta } = line;
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
        <span>
          {lastFetchedAt === null ? 'never fetched' : `fetched ${duration(takenAt - lastFetchedAt)} ago`}
        </span>
        <span>{count(watchers, 'watcher')}</span>
        {levels.length > 0 ? <span>{levels.join(', ')}</span> : null}
      </p>
      {meta.error === null ? null : <p className="error">{meta.error}</p>}
      {session.live === null ? null : <Actions line={line} live={session.live} />}
      <LastChange line={line} records={records} takenAt={takenAt} />
      <Json label="Data" value={data} />
      {params === null ? null : <Json label="Params" value={params} />}
      <Json label="Meta" value={meta} />
    </Detail>
  );
}

function Actions({ line, live: { dl, faults } }: { line: CacheLine; live: Live }): ReactElement {
  return (
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
      <FaultChoice faults={faults} entryKey={line.key} />
    </div>
  );
}

interface LastChangeProps {
  readonly line: CacheLine;
  readonly records: readonly TimelineRecord[];
  readonly takenAt: number;
}

/** The newest commit in the timeline that changed the data of the entry. */
function LastChange({ line, records, takenAt }: LastChangeProps): ReactElement | null {
  for (const one of [...records].reverse()) {
    if (!isCommit(one)) continue;
    const change = one.message.detail.changes.find(({ key, data }) => key === line.key && data !== undefined);
    if (change?.data === undefined) continue;
    return (
      <section className="block">
        <h3>
          Last change <span className="quiet">{duration(takenAt - one.at)} ago</span>
        </h3>
        <Diff {...change.data} />
      </section>
    );
  }
  return null;
}
