// The causal view of one directive. Its steps are received, marked, requested, and shown, each with the time since it was received.

import type { ReactElement, ReactNode } from 'react';
import { Targets } from './Targets.tsx';
import type { TimelineRecord } from './timeline.ts';
import type { Judged, Trace, TracedRequest } from './trace.ts';
import { traceOf } from './trace.ts';
import { count, duration, lineOf, number } from './wording.ts';

interface TraceViewProps {
  readonly all: readonly TimelineRecord[];
  readonly judged: Judged;
  readonly onShow: (one: TimelineRecord) => void;
}

export function TraceView({ all, judged, onShow }: TraceViewProps): ReactElement {
  const trace = traceOf(all, judged);
  const from = trace.received?.at ?? judged.at;
  const since = (one: TimelineRecord): string => `+${duration(one.at - from)}`;
  const isProcessed = judged.message.event === 'directive:processed';
  return (
    <ol className="trace" aria-label="What came of this directive">
      <Step topic="directive" title="Received" time="+0 ms">
        <Delivery received={trace.received} onShow={onShow} />
      </Step>
      <Step
        topic={isProcessed ? 'directive' : 'none'}
        title={isProcessed ? 'Marked' : 'Not applied'}
        time={since(judged)}
      >
        <Marks trace={trace} judged={judged} />
      </Step>
      {trace.requests.length === 0 ? null : (
        <Step
          topic="request"
          title={trace.requests.length === 1 ? 'Requested' : count(trace.requests.length, 'request')}
          time={since(trace.requests[0]?.begun ?? judged)}
        >
          <ul className="links">
            {trace.requests.map((request) => (
              <li key={request.qid}>
                <RequestLink request={request} onShow={onShow} />
              </li>
            ))}
          </ul>
        </Step>
      )}
      {trace.commits.length === 0 ? null : (
        <Step topic="commit" title="Shown" time={since(trace.commits.at(-1)?.record ?? judged)}>
          <ul className="links">
            {trace.commits.map(({ record, number: n, shows }) => (
              <li key={record.seq}>
                <button type="button" className="link" onClick={() => onShow(record)}>
                  <span className="grow">Commit {number(n)}</span>
                  <span className="note">{shows}</span>
                  <span className="time">{since(record)}</span>
                </button>
              </li>
            ))}
          </ul>
        </Step>
      )}
    </ol>
  );
}

function Step({
  topic,
  title,
  time,
  children,
}: {
  topic: string;
  title: string;
  time: string;
  children: ReactNode;
}): ReactElement {
  return (
    <li className="step" data-topic={topic}>
      <h3>
        {title} <span className="time">{time}</span>
      </h3>
      {children}
    </li>
  );
}

function Delivery({
  received,
  onShow,
}: {
  received: TimelineRecord | null;
  onShow: (one: TimelineRecord) => void;
}): ReactElement {
  if (received === null) return <p className="quiet">The timeline no longer holds its delivery.</p>;
  const { text, note } = lineOf(received);
  return (
    <button type="button" className="link" onClick={() => onShow(received)}>
      <span className="grow">{text}</span>
      <span className="note">{note === '' ? 'by this page' : note}</span>
    </button>
  );
}

function Marks({ trace, judged }: { trace: Trace; judged: Judged }): ReactElement {
  const { message } = judged;
  if (message.event === 'directive:skipped')
    return <p className="quiet">Skipped: {message.detail.reason}.</p>;
  if (message.event === 'directive:rejected') {
    return (
      <ul className="issues">
        {message.detail.issues.map(({ path, message: text }, i) => (
          <li key={i}>
            {path === '' ? null : <code>{path}</code>} {text}
          </li>
        ))}
      </ul>
    );
  }
  const { triggered, satisfied, marked } = trace;
  if (message.detail.kind === 'page_reload') return <p className="quiet">The page is reloaded.</p>;
  if (triggered.length === 0 && satisfied.length === 0 && marked.length === 0)
    return <p className="quiet">Nothing to fetch: what it names is not held here.</p>;
  return (
    <>
      {triggered.length === 0 ? null : (
        <>
          <p className="quiet">{count(triggered.length, 'entry', 'entries')} to fetch again</p>
          <Targets targets={triggered} />
        </>
      )}
      {satisfied.length === 0 ? null : (
        <>
          <p className="quiet">
            {count(satisfied.length, 'entry', 'entries')} satisfied by its inline result
          </p>
          <Targets targets={satisfied} />
        </>
      )}
      {marked.length === 0 ? null : (
        <>
          <p className="quiet">
            {count(marked.length, 'entry', 'entries')} only marked stale: nobody watches, the next read
            fetches
          </p>
          <Targets targets={marked} />
        </>
      )}
    </>
  );
}

function RequestLink({
  request,
  onShow,
}: {
  request: TracedRequest;
  onShow: (one: TimelineRecord) => void;
}): ReactElement {
  const { qid, begun, ended, outcome, strategy } = request;
  return (
    <button type="button" className="link" onClick={() => onShow(ended ?? begun)}>
      <span className="mono">{qid}</span>
      <span className="grow">{lineOf(begun).text.replace(/^Requests /, '')}</span>
      {strategy === 'bulk' ? <span className="note">bulk</span> : null}
      <span className={outcome === 'error' ? 'note bad' : 'note'}>{outcome}</span>
      {ended === null ? null : <span className="time">{duration(ended.at - begun.at)}</span>}
    </button>
  );
}
