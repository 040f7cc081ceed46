// The details of one line in the timeline. A directive has the causal view, and a request has its cause.

import * as React from 'react';
import { Close } from './icons.tsx';
import { Json } from './Json.tsx';
import { Targets } from './Targets.tsx';
import type { TimelineRecord } from './timeline.ts';
import { TraceView } from './TraceView.tsx';
import { causesOf, deliveryOf, isJudged, isReceived, judgedOf, qidOf } from './trace.ts';
import { clock, count, directiveText, duration, lineOf, number, tagOf } from './wording.ts';

interface RecordDetailProps {
  readonly all: readonly TimelineRecord[];
  readonly one: TimelineRecord | null;
  readonly onShow: (one: TimelineRecord | null) => void;
}

export function RecordDetail({ all, one, onShow }: RecordDetailProps): React.ReactElement {
  if (one === null) {
    return (
      <aside className="detail" aria-label="Details">
        <p className="empty">
          Choose a line. A directive shows what it marked, the requests it led to and the commits that showed
          the answer.
        </p>
      </aside>
    );
  }
  const { topic, text, note } = lineOf(one);
  return (
    <aside className="detail" aria-label="Details">
      <div className="head">
        <span className="tag" data-topic={topic}>
          {tagOf(topic)}
        </span>
        <h2>{text}</h2>
        <button type="button" className="icon" aria-label="Close details" onClick={() => onShow(null)}>
          <Close />
        </button>
      </div>
      <p className="facts">
        <code>{one.message.event}</code>
        <span>{clock(one.at)}</span>
        {note === '' ? null : <span>{note}</span>}
      </p>
      {isJudged(one) ? <TraceView all={all} judged={one} onShow={onShow} /> : null}
      {isReceived(one) ? (
        <Links
          title="Directives"
          links={judgedOf(all, one).map((each) => ({
            one: each,
            text: directiveText(each.message.detail.directive),
            note: lineOf(each).note,
          }))}
          onShow={onShow}
        />
      ) : null}
      {qidOf(one) === null ? null : <Request all={all} one={one} qid={qidOf(one) ?? ''} onShow={onShow} />}
      {one.message.event === 'commit' ? (
        <Links
          title="Showed"
          links={one.message.detail.causes.flatMap((seq) => {
            const cause = all.find((each) => each.seq === seq);
            return cause === undefined
              ? []
              : [{ one: cause, text: lineOf(cause).text, note: lineOf(cause).note }];
          })}
          onShow={onShow}
        />
      ) : (
        <Json label="Detail" value={isJudged(one) ? one.message.detail.directive : one.message.detail} />
      )}
    </aside>
  );
}

interface Link {
  readonly one: TimelineRecord;
  readonly text: string;
  readonly note: string;
}

function Links({
  title,
  links,
  onShow,
}: {
  title: string;
  links: readonly Link[];
  onShow: (one: TimelineRecord) => void;
}): React.ReactElement | null {
  if (links.length === 0) return null;
  const some = links.slice(0, 50);
  return (
    <section className="block">
      <h3>{title}</h3>
      <ul className="links">
        {some.map((link) => (
          <li key={link.one.seq}>
            <button type="button" className="link" onClick={() => onShow(link.one)}>
              <span className="grow">{link.text}</span>
              <span className="note">{link.note}</span>
            </button>
          </li>
        ))}
      </ul>
      {links.length > some.length ? (
        <p className="quiet">and {number(links.length - some.length)} more</p>
      ) : null}
    </section>
  );
}

function Request({
  all,
  one,
  qid,
  onShow,
}: {
  all: readonly TimelineRecord[];
  one: TimelineRecord;
  qid: string;
  onShow: (one: TimelineRecord) => void;
}): React.ReactElement {
  const begun = all.find((each) => qidOf(each) === qid) ?? one;
  const causes = causesOf(all, qid);
  return (
    <>
      {one === begun ? null : (
        <p className="facts">
          <span>
            {duration(one.at - begun.at)} after the request {qid}
          </span>
        </p>
      )}
      <Links
        title="Caused by"
        links={causes.map((each) => ({
          one: each,
          text: directiveText(each.message.detail.directive),
          note: deliveryOf(all, each) === null ? '' : clock(each.at),
        }))}
        onShow={onShow}
      />
      <section className="block">
        <h3>{count(one.targets.length, 'entry', 'entries')}</h3>
        <Targets targets={one.targets} />
      </section>
    </>
  );
}
