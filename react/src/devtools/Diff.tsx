import type { ReactElement } from 'react';
import { diffOf } from './diff.ts';

interface DiffProps {
  readonly before: unknown;
  readonly after: unknown;
}

/** The differing parts, each with the value before and after. */
export function Diff({ before, after }: DiffProps): ReactElement {
  const lines = diffOf(before, after);
  if (lines.length === 0) return <p className="quiet">No difference</p>;
  return (
    <dl className="diff">
      {lines.map((line) => (
        <div key={line.path}>
          <dt>{line.path === '' ? 'data' : line.path}</dt>
          <dd>
            {line.before === undefined ? null : <del>{line.before}</del>}
            {line.after === undefined ? null : <ins>{line.after}</ins>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
