// The entries that a commit changed, with the differences of their data.

import type { ReactElement } from 'react';
import { Diff } from './Diff.tsx';
import type { EntryChange } from './record.ts';
import { count, kindText, number, targetText } from './wording.ts';

const most = 50;

export function Changed({ changes }: { changes: readonly EntryChange[] }): ReactElement {
  return (
    <section className="block">
      <h3>{count(changes.length, 'entry', 'entries')}</h3>
      <ul className="changed">
        {changes.slice(0, most).map(({ target, kind, data }, i) => (
          <li key={i}>
            <span className="grow">{targetText(target)}</span>
            <span className={kind === 'error' ? 'note bad' : 'note'}>{kindText[kind]}</span>
            {data === undefined ? null : <Diff {...data} />}
          </li>
        ))}
      </ul>
      {changes.length > most ? <p className="quiet">and {number(changes.length - most)} more</p> : null}
    </section>
  );
}
