// The details of one record. A directive and a resync have their causal view, a request has its causes, and a commit has its entries.

import { messageOf } from '@edict/core/internal';
import type { ReactElement } from 'react';
import { Changed } from './Changed.tsx';
import { Detail, NoDetail } from './Detail.tsx';
import { Json } from './Json.tsx';
import { Links } from './Links.tsx';
import { Targets } from './Targets.tsx';
import type { Intent, TimelineRecord } from './record.ts';
import { isCommit, isResyncStep, isIntent, isHandled, isReceived, qidOf } from './record.ts';
import { DirectiveTrace, ResyncTraceView } from './TraceView.tsx';
import { causesOf, handledOf } from './trace.ts';
import { clock, count, duration, lineOf, tagOf } from './wording.ts';

interface RecordDetailProps {
  readonly all: readonly TimelineRecord[];
  readonly one: TimelineRecord | null;
  /** Shown when no record is selected. */
  readonly hint: string;
  readonly onClose: () => void;
  readonly onShow: (one: TimelineRecord) => void;
}

export function RecordDetail({ all, one, hint, onClose, onShow }: RecordDetailProps): ReactElement {
  if (one === null) return <NoDetail>{hint}</NoDetail>;
  const { topic, text, note, isBad } = lineOf(one);
  return (
    <Detail
      mark={
        <span className="tag" data-topic={topic}>
          {tagOf(topic)}
        </span>
      }
      title={text}
      onClose={onClose}
    >
      <p className="facts">
        <code>{one.message.event}</code>
        <span>{clock(one.at)}</span>
        {note === '' ? null : <span className={isBad ? 'bad' : undefined}>{note}</span>}
      </p>
      <Effects all={all} one={one} onShow={onShow} />
      {isCommit(one) ? null : (
        <Json label="Detail" value={isHandled(one) ? one.message.detail.directive : one.message.detail} />
      )}
    </Detail>
  );
}

interface EffectsProps {
  readonly all: readonly TimelineRecord[];
  readonly one: TimelineRecord;
  readonly onShow: (one: TimelineRecord) => void;
}

function Effects({ all, one, onShow }: EffectsProps): ReactElement | null {
  if (isHandled(one)) return <DirectiveTrace all={all} handled={one} onShow={onShow} />;
  if (isResyncStep(one)) return <ResyncTraceView all={all} step={one} onShow={onShow} />;
  if (isReceived(one)) return <Links title="Directives" records={handledOf(all, one)} onShow={onShow} />;
  if (isIntent(one)) return <Request all={all} one={one} onShow={onShow} />;
  if (!isCommit(one)) return one.targets.length === 0 ? null : <Entries one={one} />;
  const { causes, changes } = one.message.detail;
  return (
    <>
      <Changed changes={changes} />
      <Links title="Caused by" records={all.filter(({ seq }) => causes.includes(seq))} onShow={onShow} />
    </>
  );
}

function Request({ all, one, onShow }: EffectsProps & { one: Intent }): ReactElement {
  const { at, ending, seq } = one;
  const commits = all.filter((each) => isCommit(each) && each.message.detail.causes.includes(seq));
  return (
    <>
      <p className="facts">
        <span>{qidOf(one)}</span>
        {ending === null ? (
          <span>in flight</span>
        ) : (
          <span>
            {ending.outcome} after {duration(ending.at - at)}
          </span>
        )}
        {ending?.strategy === 'bulk' ? <span>bulkFetch</span> : null}
      </p>
      {ending?.outcome === 'error' ? <p className="error">{messageOf(ending.reason)}</p> : null}
      <Links title="Caused by" records={causesOf(all, one)} onShow={onShow} />
      <Links title="Shown by" records={commits} onShow={onShow} />
      <Entries one={one} />
    </>
  );
}

const Entries = ({ one: { targets } }: { one: TimelineRecord }): ReactElement => (
  <section className="block">
    <h3>{count(targets.length, 'entry', 'entries')}</h3>
    <Targets targets={targets} />
  </section>
);
