// The requests as a waterfall.

import { messageOf } from '@edict/core/internal';
import * as React from 'react';
import { useStore } from '../binding/useStore.ts';
import { FilterBar } from './FilterBar.tsx';
import { matching, namesIn, noFilter } from './filters.ts';
import { isIntent } from './record.ts';
import { RecordDetail } from './RecordDetail.tsx';
import type { Session } from './session.ts';
import { Span } from './Span.tsx';
import { Split } from './Split.tsx';
import { waterfallOf, type Bar } from './waterfall.ts';
import { WindowedList } from './WindowedList.tsx';
import { clock, count, duration, lineOf, requestText } from './wording.ts';

const keyOf = ({ request }: Bar): string => String(request.seq);

export function RequestsView({ session }: { session: Session }): React.ReactElement {
  const all = useStore(session.records);
  const [filter, setFilter] = React.useState(noFilter);
  const [activeKey, setActiveKey] = React.useState<string | null>(null);
  const close = (): void => setActiveKey(null);
  const { live } = session;

  React.useEffect(() => live?.timeline.recall(), [live]);

  const requests = React.useMemo(() => all.filter(isIntent), [all]);
  const { bars, axisMs } = React.useMemo(
    () => waterfallOf(matching(requests, filter).filter(isIntent)),
    [requests, filter],
  );
  const rows = React.useMemo(() => [...bars].reverse(), [bars]);
  const names = React.useMemo(() => namesIn(requests), [requests]);
  const active = all.find(({ seq }) => String(seq) === activeKey) ?? null;

  return (
    <Split activeKey={active === null ? null : activeKey} onClose={close}>
      <div className="side">
        <FilterBar label="Requests" filter={filter} names={names} onFilter={setFilter}>
          <span className="push" />
          <span className="quiet" role="status">
            {count(rows.length, 'request')}
          </span>
        </FilterBar>
        {rows.length === 0 ? null : (
          <div className="axis" aria-hidden="true">
            <span className="scale">
              <span>0</span>
              <span>{duration(axisMs / 2)}</span>
              <span>{duration(axisMs)}</span>
            </span>
            <span className="took">Time</span>
          </div>
        )}
        <WindowedList
          id="request"
          label={`Requests, ${count(rows.length, 'request')}`}
          items={rows}
          keyOf={keyOf}
          activeKey={activeKey}
          onActive={setActiveKey}
          empty={requests.length === 0 ? 'No requests yet' : 'No matching requests'}
        >
          {(bar) => <RequestRow bar={bar} axisMs={axisMs} />}
        </WindowedList>
      </div>
      <RecordDetail
        all={all}
        one={active}
        hint="Select a request to see its cause and its response."
        onClose={close}
        onShow={(next) => setActiveKey(String(next.seq))}
      />
    </Split>
  );
}

function RequestRow({ bar, axisMs }: { bar: Bar; axisMs: number }): React.ReactElement {
  const { request, isFirst, fromMs, toMs } = bar;
  const { at, ending } = request;
  const { isBad } = lineOf(request);
  const outcome = ending?.outcome ?? null;
  const note = outcome === 'success' ? (ending?.strategy === 'bulk' ? 'bulk' : '') : (outcome ?? 'in flight');
  return (
    <>
      <time className="mono quiet" data-first={isFirst}>
        {isFirst ? clock(at) : `+${duration(fromMs)}`}
      </time>
      <span className="grow">{requestText(request)}</span>
      <span className={isBad ? 'note bad' : 'note'} title={isBad ? messageOf(ending?.reason) : undefined}>
        {note}
      </span>
      <Span fromMs={fromMs} toMs={toMs} axisMs={axisMs} outcome={outcome} />
      <span className="took">{ending === null ? '…' : duration(ending.at - at)}</span>
    </>
  );
}
