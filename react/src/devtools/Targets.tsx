import type { Target } from '@edict/core';
import type { ReactElement } from 'react';
import { number, targetText } from './wording.ts';

const most = 12;

/** The first twelve entries as chips. */
export function Targets({ targets }: { targets: readonly Target[] }): ReactElement | null {
  if (targets.length === 0) return null;
  return (
    <ul className="targets">
      {targets.slice(0, most).map((target, i) => (
        <li key={i}>{targetText(target)}</li>
      ))}
      {targets.length > most ? <li className="more">+{number(targets.length - most)} more</li> : null}
    </ul>
  );
}
