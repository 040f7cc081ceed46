import * as React from 'react';
import { useStore } from '../binding/useStore.ts';
import { RecordDetail } from './RecordDetail.tsx';
import type { TimelineRecord, Timeline } from './timeline.ts';
import { WindowedList } from './WindowedList.tsx';
import type { Topic } from './wording.ts';
import { clock, count, lineOf, tagOf, topics } from './wording.ts';

const keyOf = (one: TimelineRecord): string => String(one.seq);

const initially: ReadonlySet<Topic> = new Set<Topic>(['directive', 'request', 'commit', 'stream', 'memory']);

/** The newest first. */
function chosen(all: readonly TimelineRecord[], shown: ReadonlySet<Topic>): TimelineRecord[] {
  return all.filter((one) => shown.has(lineOf(one).topic)).reverse();
}

export function TimelineView({ timeline }: { timeline: Timeline }): React.ReactElement {
  const live = useStore(timeline);
  const [frozen, setFrozen] = React.useState<readonly TimelineRecord[] | null>(null);
  const [shown, setShown] = React.useState(initially);
  const [activeKey, setActiveKey] = React.useState<string | null>(null);

  React.useEffect(() => timeline.recall(), [timeline]);

  const all = frozen ?? live;
  const rows = React.useMemo(() => chosen(all, shown), [all, shown]);
  const active = all.find((one) => keyOf(one) === activeKey) ?? null;

  function flip(topic: Topic): void {
    const next = new Set(shown);
    if (!next.delete(topic)) next.add(topic);
    setShown(next);
  }

  return (
    <div className="split" data-detail={active !== null}>
      <div className="side">
        <div className="tools" role="toolbar" aria-label="Timeline">
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
          <div className="ends">
            <button
              type="button"
              className="button"
              aria-pressed={frozen !== null}
              onClick={() => setFrozen(frozen === null ? live : null)}
            >
              {frozen === null ? 'Pause' : 'Resume'}
            </button>
            <button
              type="button"
              className="button"
              onClick={() => {
                timeline.clear();
                setFrozen(null);
                setActiveKey(null);
              }}
            >
              Clear
            </button>
          </div>
        </div>
        <WindowedList
          id="record"
          label={`Timeline, ${count(rows.length, 'line')}`}
          items={rows}
          keyOf={keyOf}
          activeKey={activeKey}
          onActive={setActiveKey}
          empty={all.length === 0 ? 'Nothing has happened yet.' : 'Nothing of these kinds has happened.'}
        >
          {(one) => <RecordRow one={one} />}
        </WindowedList>
      </div>
      <RecordDetail
        all={all}
        one={active}
        onShow={(next) => setActiveKey(next === null ? null : keyOf(next))}
      />
    </div>
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
