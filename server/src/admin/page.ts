// The admin page as HTML: figures and tables, without scripts or forms.

import {
  badge,
  cell,
  count,
  duration,
  escape,
  figure,
  lines,
  right,
  section,
  size,
  table,
  time,
  whole,
  type Section,
} from './html.ts';
import type { AdminSnapshot } from './snapshot.ts';
import { adminStyle } from './style.ts';

function figures({ metrics }: AdminSnapshot): string {
  const { backplane, outbox, refusals } = metrics;
  const refused = Object.values(refusals).reduce((sum, number) => sum + number, 0);
  return [
    figure('Open streams', whole(metrics.connections)),
    figure('Audiences kept', whole(metrics.audiences)),
    figure('Lag', duration(backplane.lagMs), backplane.lagMs >= 1000),
    figure('Stalled streams', whole(metrics.stalled), metrics.stalled > 0),
    figure('Streams opened', whole(metrics.connects)),
    figure('Streams destroyed', whole(metrics.destroyed)),
    figure('Refused requests', whole(refused)),
    figure('Emits', whole(metrics.emits)),
    figure('Failed emits', whole(metrics.emitErrors), metrics.emitErrors > 0),
    figure('Deliveries', whole(metrics.deliveries)),
    figure('Sent', size(metrics.bytes)),
    figure('Complete replays', whole(metrics.replayHits)),
    figure('Missed replays', whole(metrics.replayMisses)),
    ...(outbox === undefined
      ? []
      : [
          figure('Outbox: waiting rows', whole(outbox.pending)),
          figure('Outbox: oldest row', duration(outbox.oldestAgeMs), outbox.oldestAgeMs >= 10_000),
        ]),
  ].join('\n');
}

const shownOf = (rows: readonly unknown[], total: number): string =>
  rows.length < total ? `${rows.length} of ${whole(total)}` : '';

/** Directives as lines. Fields that the line above already shows are omitted. */
function directiveLines(directives: readonly unknown[]): string {
  const isAbove = (name: string): boolean => name === 'audience' || name === 'seq';
  const shown = (name: string, value: unknown): unknown => (isAbove(name) ? undefined : value);
  return directives.map((directive) => `<code>${escape(JSON.stringify(directive, shown))}</code>`).join('');
}

function sections({ metrics, connections, audiences, log, envelopes }: AdminSnapshot): readonly Section[] {
  const { refusals } = metrics;
  return [
    {
      title: 'Last warnings and errors',
      body: lines(
        log.map(({ at, level, message }) => [
          `${time(at)} ${badge(level === 'error' ? 'bad' : 'warn', level)}`,
          escape(message),
        ]),
      ),
      ifEmpty: 'No warnings or errors since the start.',
    },
    {
      title: 'Refused requests',
      body: table(
        ['Code', '#Requests'],
        Object.entries(refusals).map(([code, number]) => [cell(code), count(number)]),
      ),
      ifEmpty: 'No requests were refused.',
    },
    {
      title: 'Newest streams',
      note: shownOf(connections, metrics.connections),
      body: table(
        ['Client id', 'User', 'Key', 'Audiences', '#Age', '#Socket full', '#Behind'],
        connections.map((row) => [
          cell(row.clientId),
          cell(row.user),
          cell(row.key),
          cell(row.audiences.join(', ')),
          right(duration(row.ageMs)),
          right(row.blockedMs === null ? 'no' : badge('bad', duration(row.blockedMs))),
          count(row.behind),
        ]),
      ),
      ifEmpty: 'No open streams.',
    },
    {
      title: 'Largest audiences',
      body: table(
        ['Audience', '#Streams', '#Position', '#Envelopes kept', '#Most behind'],
        audiences.map((row) => [
          cell(row.audience),
          count(row.subscribers),
          right(row.position === null ? 'being read' : String(row.position)),
          count(row.kept),
          count(row.maxBehind),
        ]),
      ),
      ifEmpty: 'No open audiences.',
    },
    {
      title: 'Last envelopes',
      note: 'of open audiences, without results',
      body: lines(
        envelopes.map((row) => [
          `${time(row.at)} <b>${escape(row.audience)}</b> ${row.seq}`,
          directiveLines(row.directives),
        ]),
      ),
      ifEmpty: 'No envelopes since the start.',
    },
  ];
}

/** Renders the snapshot. With `isLive`, the page reloads itself every 5 seconds. */
export function adminPage(snapshot: AdminSnapshot, isLive: boolean): string {
  const { at, metrics } = snapshot;
  const status = metrics.backplane.healthy
    ? badge('good', 'Healthy')
    : badge('bad', 'The backplane is unavailable');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${isLive ? '<meta http-equiv="refresh" content="5">\n' : ''}<title>Edict hub</title>
<style>${adminStyle}</style>
</head>
<body>
<main>
<header>
<h1>Edict hub</h1>
${status}
<p>One process, at ${time(at)}</p>
<nav aria-label="Page">
${isLive ? '<a href="?">Stop reloading</a>' : '<a href="?live">Reload every 5 s</a>'}
<a href="?format=json">JSON</a>
</nav>
</header>
<dl>
${figures(snapshot)}
</dl>
${sections(snapshot).map(section).join('\n')}
</main>
</body>
</html>
`;
}
