// The entries that a commit changed.

import type { ReactElement } from 'react';
import type { EntryChange } from './record.ts';
import { count, kindText, number, targetText } from './wording.ts';

const most = 50;

export function Changed({ changes }: { changes: readonly EntryChange[] }): ReactElement {
  return (
    <section className="block">
      <h3>{count(changes.length, 'entry', 'entries')}</h3>
      <ul className="changed">
        {changes.slice(0, most).map(({ target, kind }, i) => (
          <li key={i}>
            <span className="grow">{targetText(target)}</span>
            <span className={kind === 'error' ? 'note bad' : 'note'}>{kindText[kind]}</span>
          </li>
        ))}
      </ul>
      {changes.length > most ? <p className="quiet">and {number(changes.length - most)} more</p> : null}
    </section>
  );
}
