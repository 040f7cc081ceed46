// Shows a value as colored JSON. Long values are truncated.

import type { ReactElement } from 'react';
import { jsonOf } from './jsonText.ts';

const mostChars = 12_000;

const parts = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;

function colored(text: string): (string | ReactElement)[] {
  const out: (string | ReactElement)[] = [];
  let from = 0;
  for (const match of text.matchAll(parts)) {
    const [all, quoted, colon] = match;
    out.push(text.slice(from, match.index));
    const kind = quoted === undefined ? 'literal' : colon === undefined ? 'string' : 'key';
    out.push(
      <span key={match.index} data-json={kind}>
        {all}
      </span>,
    );
    from = match.index + all.length;
  }
  out.push(text.slice(from));
  return out;
}

export function Json({ label, value }: { label: string; value: unknown }): ReactElement {
  const text = jsonOf(value);
  return (
    <section className="block">
      <h3>{label}</h3>
      <pre tabIndex={0} aria-label={label}>
        {colored(text.slice(0, mostChars))}
        {text.length > mostChars ? '\n…' : null}
      </pre>
    </section>
  );
}
