// The admin page as HTML: tables only, without scripts or forms.

import type { AdminSnapshot } from './snapshot.ts';

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(value: unknown): string {
  const text = value === null ? '–' : typeof value === 'string' ? value : JSON.stringify(value);
  return text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? character);
}

function table(title: string, columns: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const cells = (tag: 'th' | 'td', row: readonly unknown[]): string =>
    `<tr>${row.map((cell) => `<${tag}>${escape(cell)}</${tag}>`).join('')}</tr>`;
  const body = rows.length === 0 ? '<tr><td>none</td></tr>' : rows.map((row) => cells('td', row)).join('\n');
  return `<h2>${escape(title)}</h2>\n<table>\n${cells('th', columns)}\n${body}\n</table>`;
}

/** Renders the snapshot. The page reloads itself every 5 seconds. */
export function adminPage({ at, metrics, connections, audiences, log, envelopes }: AdminSnapshot): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="5">
<title>Edict hub</title>
<style>
body { font: 14px/1.4 system-ui, sans-serif; margin: 1.5rem; }
table { border-collapse: collapse; }
th, td { border: 1px solid #ccc; padding: 0.2rem 0.5rem; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
</style>
<h1>Edict hub</h1>
<p>This process at ${escape(at)}. <a href="?format=json">JSON</a></p>
${table('Metrics', ['Name', 'Value'], Object.entries(metrics))}
${table(
  'Newest connections',
  ['Client id', 'User', 'Key', 'Audiences', 'Age (s)', 'Socket full (s)', 'Envelopes behind'],
  connections.map((row) => [
    row.clientId,
    row.user,
    row.key,
    row.audiences.join(', '),
    seconds(row.ageMs),
    row.blockedMs === null ? null : seconds(row.blockedMs),
    row.behind,
  ]),
)}
${table(
  'Largest audiences',
  ['Audience', 'Subscribers', 'Position', 'Envelopes kept', 'Most behind'],
  audiences.map((row) => [row.audience, row.subscribers, row.position, row.kept, row.maxBehind]),
)}
${table(
  'Last warnings and errors',
  ['Time', 'Level', 'Message'],
  log.map((line) => [line.at, line.level, line.message]),
)}
${table(
  'Last envelopes (without results)',
  ['Time', 'Audience', 'Seq', 'Directives'],
  envelopes.map((envelope) => [envelope.at, envelope.audience, envelope.seq, envelope.directives]),
)}
</html>
`;
}

const seconds = (ms: number): number => Math.round(ms / 100) / 10;
