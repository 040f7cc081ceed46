// The parts of the admin page as HTML.

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as HTML. */
export const escape = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? character);

/** A whole number with separators. */
export const whole = (value: number): string => value.toLocaleString('en-US');

/** A cell with a whole number. */
export const count = (value: number): string => `<td class="number">${whole(value)}</td>`;

/** A cell with text. */
export const cell = (text: string | null): string =>
  text === null ? '<td class="empty">–</td>' : `<td>${escape(text)}</td>`;

/** A cell with HTML, aligned like numbers. */
export const right = (text: string): string => `<td class="number">${text}</td>`;

/** The time of day in an ISO string. */
export const time = (iso: string): string => `<time datetime="${iso}">${iso.slice(11, 19)} UTC</time>`;

/** A highlighted word. */
export const badge = (kind: 'good' | 'warn' | 'bad', text: string): string =>
  `<span class="badge ${kind}">${text}</span>`;

/** A duration in milliseconds, formatted for people. */
export function duration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (seconds < 1) return `${Math.round(ms)} ms`;
  if (seconds < 10) return `${(ms / 1000).toFixed(1)} s`;
  if (minutes < 1) return `${seconds} s`;
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A number of bytes, formatted for people. */
export function size(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const;
  const unit = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${unit === 0 ? bytes : (bytes / 1000 ** unit).toFixed(1)} ${units[unit]}`;
}

/** One metric. Goes into a `dl`. */
export function figure(name: string, value: string, isAlert = false): string {
  return `<div><dt>${escape(name)}</dt><dd${isAlert ? ' class="alert"' : ''}>${value}</dd></div>`;
}

/** One part of the page. */
export interface Section {
  readonly title: string;
  /** A note beside the title, such as how many of the rows are shown. */
  readonly note?: string;
  /** Empty without rows. */
  readonly body: string;
  readonly ifEmpty: string;
}

/** Renders a section. Its content scrolls separately, also with the keyboard. */
export function section({ title, note = '', body, ifEmpty }: Section, index: number): string {
  const id = `section-${index}`;
  const shown =
    body === ''
      ? `<p class="none">${ifEmpty}</p>`
      : `<div class="scroll" role="region" aria-labelledby="${id}" tabindex="0">${body}</div>`;
  return `<section><div class="title"><h2 id="${id}">${title}</h2><span>${note}</span></div>\n${shown}</section>`;
}

/** Renders rows of cells. A column whose name starts with `#` contains numbers. */
export function table(columns: readonly string[], cells: readonly (readonly string[])[]): string {
  const head = columns.map((name) =>
    name.startsWith('#') ? `<th class="number">${name.slice(1)}</th>` : `<th>${name}</th>`,
  );
  const rows = cells.map((row) => `<tr>${row.join('')}</tr>`).join('\n');
  return rows && `<table><thead><tr>${head.join('')}</tr></thead>\n<tbody>${rows}</tbody></table>`;
}

/** Renders a list of texts, each below its own head. Both are HTML. */
export function lines(items: readonly (readonly [head: string, text: string])[]): string {
  const rows = items.map(([head, text]) => `<li><div class="head">${head}</div>${text}</li>`).join('\n');
  return rows && `<ol>${rows}</ol>`;
}
