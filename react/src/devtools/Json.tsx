// A value as JSON with colored parts. Long values are cut.

import type { ReactElement } from 'react';

const mostChars = 12_000;

/** As JSON, with what JSON has no form for in words. */
function textOf(value: unknown): string {
  const open: unknown[] = [];
  const replacer = function replace(this: unknown, _: string, part: unknown): unknown {
    if (typeof part === 'bigint') return `${part}n`;
    if (typeof part === 'function' || typeof part === 'symbol') return String(part);
    if (part instanceof Error) return `${part.name}: ${part.message}`;
    if (typeof part !== 'object' || part === null) return part;
    // The values before `this` in the list still contain it. Those behind it are complete.
    while (open.length > 0 && open.at(-1) !== this) open.pop();
    if (open.includes(part)) return '(circular)';
    open.push(part);
    return part;
  };
  try {
    return JSON.stringify(value, replacer, 2) ?? 'undefined';
  } catch (error) {
    return `cannot be shown: ${String(error)}`;
  }
}

const parts = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;

function coloured(text: string): (string | ReactElement)[] {
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
  const text = textOf(value);
  return (
    <section className="block">
      <h3>{label}</h3>
      <pre tabIndex={0} aria-label={label}>
        {coloured(text.slice(0, mostChars))}
        {text.length > mostChars ? '\n…' : null}
      </pre>
    </section>
  );
}
