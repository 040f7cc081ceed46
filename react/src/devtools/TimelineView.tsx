import * as React from 'react';
import { useStore } from '../binding/useStore.ts';
import { FilterBar } from './FilterBar.tsx';
import { matching, namesIn, noFilter } from './filters.ts';
import { InjectForm } from './InjectForm.tsx';
import type { TimelineRecord } from './record.ts';
import { RecordDetail } from './RecordDetail.tsx';
import type { Session } from './session.ts';
import { Split } from './Split.tsx';
import { WindowedList } from './WindowedList.tsx';
import type { Topic } from './wording.ts';
import { clock, count, lineOf, tagOf, topics } from './wording.ts';

const keyOf = (one: TimelineRecord): string => String(one.seq);

const initially: ReadonlySet<Topic> = new Set<Topic>(['directive', 'request', 'commit', 'stream', 'memory']);

export function TimelineView({ session }: { session: Session }): React.ReactElement {
  const current = useStore(session.records);
  const [frozen, setFrozen] = React.useState<readonly TimelineRecord[] | null>(null);
  const [shown, setShown] = React.useState(initially);
  const [filter, setFilter] = React.useState(noFilter);
  const [activeKey, setActiveKey] = React.useState<string | null>(null);
  const close = (): void => show(null);
  const [isInjecting, setIsInjecting] = React.useState(false);
  const { live } = session;

  React.useEffect(() => live?.timeline.recall(), [live]);

  const all = frozen ?? current;
  // The newest first.
  const rows = React.useMemo(
    () =>
      matching(all, filter)
        .filter((one) => shown.has(lineOf(one).topic))
        .reverse(),
    [all, filter, shown],
  );
  const names = React.useMemo(() => namesIn(all), [all]);
  const active = all.find((one) => keyOf(one) === activeKey) ?? null;

  function show(key: string | null): void {
    setActiveKey(key);
    setIsInjecting(false);
  }

  function flip(topic: Topic): void {
    const next = new Set(shown);
    if (!next.delete(topic)) next.add(topic);
    setShown(next);
  }

  return (
    <Split activeKey={isInjecting ? 'inject' : active === null ? null : activeKey} onClose={close}>
      <div className="side">
        <FilterBar label="Timeline" filter={filter} names={names} onFilter={setFilter}>
          {live === null ? null : (
            <div className="ends">
              <button
                type="button"
                className="button"
                aria-pressed={isInjecting}
                onClick={() => {
                  show(null);
                  setIsInjecting(!isInjecting);
                }}
              >
                Inject
              </button>
              <button
                type="button"
                className="button"
                aria-pressed={frozen !== null}
                onClick={() => setFrozen(frozen === null ? current : null)}
              >
                {frozen === null ? 'Pause' : 'Resume'}
              </button>
              <button
                type="button"
                className="button"
                onClick={() => {
                  live.timeline.clear();
                  setFrozen(null);
                  show(null);
                }}
              >
                Clear
              </button>
            </div>
          )}
        </FilterBar>
        <div className="tools topics" role="toolbar" aria-label="Kinds of events">
          {topics.map(({ topic, label }) => (
            <button
              key={topic}
              type="button"
              className="chip"
              data-topic={topic}
              aria-pressed={shown.has(topic)}
              onClick={() => flip(topic)}
            >
              {label}
            </button>
          ))}
        </div>
        <WindowedList
          id="record"
          label={`Timeline, ${count(rows.length, 'event')}`}
          items={rows}
          keyOf={keyOf}
          activeKey={activeKey}
          onActive={show}
          empty={all.length === 0 ? 'No events yet' : 'No matching events'}
        >
          {(one) => <RecordRow one={one} />}
        </WindowedList>
      </div>
      {isInjecting && live !== null ? (
        <InjectForm dl={live.dl} onClose={close} />
      ) : (
        <RecordDetail
          all={all}
          one={active}
          hint="Select an event to see its cause and its effects."
          onClose={close}
          onShow={(next) => show(keyOf(next))}
        />
      )}
    </Split>
  );
}

function RecordRow({ one }: { one: TimelineRecord }): React.ReactElement {
  const { topic, text, note, isBad } = lineOf(one);
  return (
    <>
      <time className="mono quiet">{clock(one.at)}</time>
      <span className="tag" data-topic={topic}>
        {tagOf(topic)}
      </span>
      <span className="grow">{text}</span>
      <span className={isBad ? 'note bad' : 'note'} title={note}>
        {note}
      </span>
    </>
  );
}
