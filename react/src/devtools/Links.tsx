// Records that lead to other records.

import type { ReactElement } from 'react';
import type { TimelineRecord } from './record.ts';
import { lineOf, number } from './wording.ts';

const most = 50;

interface LinksProps {
  readonly title: string;
  readonly records: readonly TimelineRecord[];
  readonly onShow: (one: TimelineRecord) => void;
}

export function Links({ title, records, onShow }: LinksProps): ReactElement | null {
  if (records.length === 0) return null;
  return (
    <section className="block">
      <h3>{title}</h3>
      <ul className="links">
        {records.slice(0, most).map((one) => (
          <li key={one.seq}>
            <RecordLink one={one} onShow={onShow} />
          </li>
        ))}
      </ul>
      {records.length > most ? <p className="quiet">and {number(records.length - most)} more</p> : null}
    </section>
  );
}

interface RecordLinkProps {
  readonly one: TimelineRecord;
  readonly onShow: (one: TimelineRecord) => void;
  /** Shown instead of the note of the line. */
  readonly note?: string;
  readonly time?: string;
}

export function RecordLink({ one, onShow, note, time }: RecordLinkProps): ReactElement {
  const line = lineOf(one);
  return (
    <button type="button" className="link" onClick={() => onShow(one)}>
      <span className="grow">{line.text}</span>
      <span className={line.isBad ? 'note bad' : 'note'}>{note ?? line.note}</span>
      {time === undefined ? null : <span className="time">{time}</span>}
    </button>
  );
}
