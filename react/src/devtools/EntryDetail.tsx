import { useDL } from '@edict/react';
import type { ReactElement } from 'react';
import type { CacheLine } from './entries.ts';
import { markStale, refetch } from './entries.ts';
import { Close, Refetch, Stale } from './icons.tsx';
import { Json } from './Json.tsx';
import { count, duration } from './wording.ts';

interface EntryDetailProps {
  readonly line: CacheLine | null;
  readonly takenAt: number;
  readonly onClose: () => void;
}

export function EntryDetail({ line, takenAt, onClose }: EntryDetailProps): ReactElement {
  const dl = useDL();
  if (line === null) {
    return (
      <aside className="detail" aria-label="Details">
        <p className="empty">
          Choose an entry to see its data and its freshness, to refetch it or to mark it stale.
        </p>
      </aside>
    );
  }
  const { kind, name, label, standing, levels, watchers, fetchedAt, data, meta } = line;
  return (
    <aside className="detail" aria-label="Details">
      <div className="head">
        <span className="standing" data-standing={standing}>
          {standing}
        </span>
        <h2>
          {name} {label}
        </h2>
        <button type="button" className="icon" aria-label="Close details" onClick={onClose}>
          <Close />
        </button>
      </div>
      <p className="facts">
        <span>{kind}</span>
        <span>{fetchedAt === null ? 'never fetched' : `fetched ${duration(takenAt - fetchedAt)} ago`}</span>
        <span>{count(watchers, 'watcher')}</span>
        {levels.length > 0 ? <span>{levels.join(', ')}</span> : null}
      </p>
      {meta.error === null ? null : <p className="error">{meta.error}</p>}
      <div className="actions">
        <button type="button" className="button strong" onClick={() => refetch(dl, line)}>
          <Refetch /> Refetch
        </button>
        <button
          type="button"
          className="button"
          title="A watched entry is refetched at once"
          onClick={() => markStale(dl, line)}
        >
          <Stale /> Mark stale
        </button>
      </div>
      <Json label="Data" value={data} />
      <Json label="Meta" value={meta} />
    </aside>
  );
}
