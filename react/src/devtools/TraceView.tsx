// The causal view of a directive or a resync. Its steps each have the time since the first one.

import { messageOf } from '@edict/core/internal';
import type { ReactElement, ReactNode } from 'react';
import { RecordLink } from './Links.tsx';
import { Span } from './Span.tsx';
import { Targets } from './Targets.tsx';
import type { ResyncStep, Intent, Handled, TimelineRecord } from './record.ts';
import { qidOf } from './record.ts';
import type { Effects, Trace } from './trace.ts';
import { resyncOf, traceOf } from './trace.ts';
import { count, duration, kindText, requestText } from './wording.ts';

interface TraceProps {
  readonly all: readonly TimelineRecord[];
  readonly onShow: (one: TimelineRecord) => void;
}

export function DirectiveTrace({ all, handled, onShow }: TraceProps & { handled: Handled }): ReactElement {
  const trace = traceOf(all, handled);
  const { received } = trace;
  const from = received?.at ?? handled.at;
  const isProcessed = handled.message.event === 'directive:processed';
  return (
    <ol className="trace" aria-label="Effects of this directive">
      <Step topic="directive" title="Received" atMs={0}>
        {received === null ? (
          <p className="quiet">The timeline no longer contains its delivery.</p>
        ) : (
          <RecordLink one={received} onShow={onShow} />
        )}
      </Step>
      <Step
        topic={isProcessed ? 'directive' : 'none'}
        title={isProcessed ? 'Marked' : 'Not applied'}
        atMs={handled.at - from}
      >
        <Marks trace={trace} handled={handled} />
      </Step>
      <EffectSteps effects={trace} from={from} onShow={onShow} />
    </ol>
  );
}

export function ResyncTraceView({ all, step, onShow }: TraceProps & { step: ResyncStep }): ReactElement {
  const trace = resyncOf(all, step);
  const { gaps, scheduled, dispatch } = trace;
  const from = (gaps[0] ?? scheduled ?? dispatch ?? step).at;
  return (
    <ol className="trace" aria-label="From the gap to the new data">
      <Step topic="stream" title={gaps.length > 1 ? count(gaps.length, 'gap') : 'Gap'} atMs={0}>
        {gaps.length === 0 ? <p className="quiet">The timeline no longer contains the gap.</p> : null}
        <ul className="links">
          {gaps.map((gap) => (
            <li key={gap.seq}>
              <RecordLink one={gap} onShow={onShow} />
            </li>
          ))}
        </ul>
      </Step>
      {scheduled === null ? (
        dispatch === null ? (
          <Step topic="none" title="No resync" atMs={null}>
            <p className="quiet">No resync is scheduled. The option sse.resyncOnGap may be off.</p>
          </Step>
        ) : null
      ) : (
        <Step topic="stream" title="Scheduled" atMs={scheduled.at - from}>
          <p className="quiet">
            A random wait of {duration(scheduled.message.detail.waitMs)} spreads the clients of one hub.
          </p>
        </Step>
      )}
      {dispatch === null ? null : (
        <Step topic="stream" title="Resync" atMs={dispatch.at - from}>
          <p className="quiet">
            {count(dispatch.targets.length, 'watched entry is', 'watched entries are')} fetched again. All
            other entries are marked stale.
          </p>
          <Targets targets={dispatch.targets} />
        </Step>
      )}
      <EffectSteps effects={trace} from={from} onShow={onShow} />
    </ol>
  );
}

interface EffectStepsProps {
  readonly effects: Effects;
  /** When the first step happened. */
  readonly from: number;
  readonly onShow: (one: TimelineRecord) => void;
}

function EffectSteps({ effects: { requests, commits }, from, onShow }: EffectStepsProps): ReactElement {
  const ends = requests.map(({ at, ending }) => (ending?.at ?? at) - from);
  const axisMs = Math.max(1, ...ends);
  return (
    <>
      {requests.length === 0 ? null : (
        <Step
          topic="request"
          title={requests.length === 1 ? 'Requested' : count(requests.length, 'request')}
          atMs={(requests[0]?.at ?? from) - from}
        >
          <ul className="links">
            {requests.map((request) => (
              <li key={request.seq}>
                <RequestLink request={request} from={from} axisMs={axisMs} onShow={onShow} />
              </li>
            ))}
          </ul>
        </Step>
      )}
      {commits.length === 0 ? null : (
        <Step topic="commit" title="Shown" atMs={(commits.at(-1)?.record.at ?? from) - from}>
          <ul className="links">
            {commits.map(({ record, shows }) => (
              <li key={record.seq}>
                <RecordLink
                  one={record}
                  note={kindText[shows]}
                  time={`+${duration(record.at - from)}`}
                  onShow={onShow}
                />
              </li>
            ))}
          </ul>
        </Step>
      )}
    </>
  );
}

interface StepProps {
  readonly topic: string;
  readonly title: string;
  /** Milliseconds since the first step; null without a time. */
  readonly atMs: number | null;
  readonly children: ReactNode;
}

function Step({ topic, title, atMs, children }: StepProps): ReactElement {
  return (
    <li className="step" data-topic={topic}>
      <h3>
        {title} {atMs === null ? null : <span className="time">+{duration(atMs)}</span>}
      </h3>
      {children}
    </li>
  );
}

function Marks({ trace, handled }: { trace: Trace; handled: Handled }): ReactElement {
  const { message } = handled;
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
    return <p className="quiet">No request: this page caches none of the named entries.</p>;
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
          <p className="quiet">{count(satisfied.length, 'entry', 'entries')} updated by the inline result</p>
          <Targets targets={satisfied} />
        </>
      )}
      {marked.length === 0 ? null : (
        <>
          <p className="quiet">
            {count(marked.length, 'entry', 'entries')} only marked stale: no component watches, so the next
            read fetches
          </p>
          <Targets targets={marked} />
        </>
      )}
    </>
  );
}

interface RequestLinkProps {
  readonly request: Intent;
  readonly from: number;
  readonly axisMs: number;
  readonly onShow: (one: TimelineRecord) => void;
}

function RequestLink({ request, from, axisMs, onShow }: RequestLinkProps): ReactElement {
  const { at, ending } = request;
  const note =
    ending === null ? 'in flight' : ending.outcome === 'error' ? messageOf(ending.reason) : ending.outcome;
  return (
    <button type="button" className="link" data-span onClick={() => onShow(request)}>
      <span className="mono">{qidOf(request)}</span>
      <span className="grow">{requestText(request)}</span>
      {ending?.strategy === 'bulk' ? <span className="note">bulk</span> : null}
      <span className={ending?.outcome === 'error' ? 'note bad' : 'note'}>{note}</span>
      {ending === null ? null : <span className="time">{duration(ending.at - at)}</span>}
      <Span
        fromMs={at - from}
        toMs={ending === null ? null : ending.at - from}
        axisMs={axisMs}
        outcome={ending?.outcome ?? null}
      />
    </button>
  );
}
