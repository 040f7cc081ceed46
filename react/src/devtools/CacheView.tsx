import * as React from 'react';
import { useStore } from '../binding/useStore.ts';
import type { CacheGroup, CacheLine, Standing } from './entries.ts';
import { filtered, groupsOf, linesOf } from './entries.ts';
import { EntryDetail } from './EntryDetail.tsx';
import type { Faults } from './faults.ts';
import { Eye } from './icons.tsx';
import { SearchField } from './SearchField.tsx';
import type { Session } from './session.ts';
import { Split } from './Split.tsx';
import { WindowedList } from './WindowedList.tsx';
import { count, duration, number } from './wording.ts';

const keyOf = (line: CacheLine): string => line.key;
const standings: readonly Standing[] = ['fresh', 'stale', 'loading', 'failed', 'empty'];

export function CacheView({ session }: { session: Session }): React.ReactElement {
  const { value, takenAt } = useStore(session.cache);
  const [group, setGroup] = React.useState<string | null>(null);
  const [standing, setStanding] = React.useState<Standing | null>(null);
  const [isWatchedOnly, setIsWatchedOnly] = React.useState(false);
  const [text, setText] = React.useState('');
  const [activeKey, setActiveKey] = React.useState<string | null>(null);
  const close = (): void => setActiveKey(null);

  // Memoized manually, because this package is not compiled by the React Compiler. With thousands of entries, each
  // key press would otherwise create all rows again.
  const lines = React.useMemo(() => linesOf(value), [value]);
  const rows = React.useMemo(
    () => filtered(lines, { group, standing, isWatchedOnly, text }),
    [lines, group, standing, isWatchedOnly, text],
  );
  const active = lines.find((line) => line.key === activeKey) ?? null;

  return (
    <Split activeKey={active === null ? null : activeKey} onClose={close}>
      <Groups groups={groupsOf(value)} total={lines.length} chosen={group} onChoose={setGroup} />
      <div className="side">
        <div className="tools" role="toolbar" aria-label="Cache">
          <SearchField text={text} onText={setText} />
          <select
            aria-label="Freshness"
            value={standing ?? ''}
            onChange={(event) => setStanding(standings.find((each) => each === event.target.value) ?? null)}
          >
            <option value="">Any freshness</option>
            {standings.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
          <button
            type="button"
            className="chip"
            aria-pressed={isWatchedOnly}
            onClick={() => setIsWatchedOnly(!isWatchedOnly)}
          >
            Watched only
          </button>
          <button
            type="button"
            className="chip"
            data-topic="error"
            aria-pressed={standing === 'failed'}
            onClick={() => setStanding(standing === 'failed' ? null : 'failed')}
          >
            Errors only
          </button>
          {session.live === null ? null : <FaultCount faults={session.live.faults} />}
          <span className="push" />
          <span className="quiet" role="status">
            {rows.length === lines.length
              ? count(lines.length, 'entry', 'entries')
              : `${number(rows.length)} of ${number(lines.length)}`}
          </span>
        </div>
        <WindowedList
          id="entry"
          label={`Cache, ${count(rows.length, 'entry', 'entries')}`}
          items={rows}
          keyOf={keyOf}
          activeKey={activeKey}
          onActive={setActiveKey}
          empty={lines.length === 0 ? 'The cache is empty' : 'No matching entries'}
        >
          {(line) => <EntryRow line={line} takenAt={takenAt} />}
        </WindowedList>
      </div>
      <EntryDetail line={active} takenAt={takenAt} session={session} onClose={close} />
    </Split>
  );
}

/** Ends every simulated fault. Absent while there is none. */
function FaultCount({ faults }: { faults: Faults }): React.ReactElement | null {
  const { size } = useStore(faults);
  if (size === 0) return null;
  return (
    <button type="button" className="button" data-warn onClick={() => faults.clear()}>
      End {count(size, 'simulated fault')}
    </button>
  );
}

function EntryRow({ line, takenAt }: { line: CacheLine; takenAt: number }): React.ReactElement {
  const { name, label, standing, levels, watchers, lastFetchedAt } = line;
  const special = levels.filter((level) => level !== 'default');
  return (
    <>
      <span className="standing" data-standing={standing}>
        {standing}
      </span>
      <span className="grow">
        <span className="quiet">{name}</span> {label}
      </span>
      {special.length > 0 ? <span className="note">{special.join(', ')}</span> : null}
      <span className="watchers" data-none={watchers === 0}>
        <Eye />
        {number(watchers)}
        <span className="hidden"> watching</span>
      </span>
      <span className="age">{lastFetchedAt === null ? 'never' : duration(takenAt - lastFetchedAt)}</span>
    </>
  );
}

function Groups({
  groups,
  total,
  chosen,
  onChoose,
}: {
  groups: readonly CacheGroup[];
  total: number;
  chosen: string | null;
  onChoose: (group: string | null) => void;
}): React.ReactElement {
  const part = (kind: CacheGroup['kind'], title: string): React.ReactElement | null => {
    const those = groups.filter((group) => group.kind === kind);
    if (those.length === 0) return null;
    return (
      <>
        <h2>{title}</h2>
        {those.map(({ name, size }) => (
          <button
            key={name}
            type="button"
            aria-pressed={chosen === `${kind} ${name}`}
            onClick={() => onChoose(`${kind} ${name}`)}
          >
            <span className="grow">{name}</span> <span className="size">{number(size)}</span>
          </button>
        ))}
      </>
    );
  };
  return (
    <nav className="groups" aria-label="Types and collections">
      <button type="button" aria-pressed={chosen === null} onClick={() => onChoose(null)}>
        <span className="grow">All</span> <span className="size">{number(total)}</span>
      </button>
      {part('item', 'Types')}
      {part('collection', 'Collections')}
    </nav>
  );
}
