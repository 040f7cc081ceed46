// Measures every library on every workload, warm, cold, and in real time, and how the cost grows with the number of entries.

import { libraries } from './adapters/index.ts';
import type { Effort, Results } from './measure.ts';
import { measure, measureCold, measureLive, takesPart } from './measure.ts';
import type { Member } from './team.ts';
import { createTeam } from './team.ts';
import type { Round } from './worker.ts';
import type { Target } from './workloads.ts';
import { heapWorkloads, workloads } from './workloads.ts';
import { machine } from '../report/machine.ts';
import { bytes, duration, publish, ratio, table, verdict } from '../report/tables.ts';

const effort: Effort = { warmMs: 1000, rounds: 15, leastMs: 100, mostMs: 2000 };
const growthEffort: Effort = { warmMs: 200, rounds: 3, leastMs: 50, mostMs: 300 };
const growthSizes = [100, 1000, 10_000, 100_000];
/** A cost counts as constant if the cost at the largest size is at most this many times the cost at the smallest size. */
const constantWithin = 4;
const keys = Object.keys(libraries);
const titles = Object.values(libraries).map(({ title }) => title);

function bestPeer(valueOf: (key: string) => number | undefined): { title: string; value: number } {
  let best = { title: '–', value: Infinity };
  for (const [key, { role, title }] of Object.entries(libraries)) {
    const value = valueOf(key);
    if (role === 'peer' && value !== undefined && value < best.value) best = { title, value };
  }
  return best;
}

/** The fastest peer among those that showed the server's data and needed no more requests than allowed. */
const bestOf = (results: Results, { peerRequests = Infinity }: Target): { title: string; value: number } =>
  bestPeer((key) => {
    const result = results.get(key);
    return result?.fault === null && result.requests <= peerRequests ? result.ns : undefined;
  });

const toBest = (results: Results | undefined, target: Target): number =>
  results === undefined
    ? Number.NaN
    : (results.get('edict')?.ns ?? Number.NaN) / bestOf(results, target).value;

function targetText({ ratio: limit, requests, told }: Target): string {
  return [
    limit === undefined ? '' : `<= ${limit}`,
    requests === undefined ? '' : `<= ${requests} req`,
    told === undefined ? '' : `${told} notified`,
  ]
    .filter((part) => part !== '')
    .join(', ');
}

function holds(target: Target, { fault, requests, told }: Round, reached: number): boolean {
  return (
    fault === null &&
    (target.ratio === undefined || reached <= target.ratio) &&
    (target.requests === undefined || requests <= target.requests) &&
    (target.told === undefined || told === target.told)
  );
}

const faultText = (fault: string | null): string => (fault === null ? '' : ` **wrong**: ${fault}`);

function cellOf(result: Round | undefined): string {
  if (result === undefined) return '–';
  const { ns, requests, told, fault } = result;
  const counts = [
    requests > 0 ? `${requests.toLocaleString('en-US')} req` : '',
    told > 0 ? `${told} notified` : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
  return `${duration(ns)}${counts === '' ? '' : ` (${counts})`}${faultText(fault)}`;
}

/** The time without the counts, because the requests are the same as in the first table. */
const timeOf = (result: Round | undefined): string =>
  result === undefined ? '–' : `${duration(result.ns)}${faultText(result.fault)}`;

function comparison(name: string, results: Results): string[] {
  const { title, target } = workloads[name] as (typeof workloads)[string]; // Only called with names of the table.
  const us = results.get('edict') as Round; // Always measured.
  const peer = bestOf(results, target);
  const reached = toBest(results, target);
  return [
    title,
    ...keys.map((key) => cellOf(results.get(key))),
    peer.title,
    peer.value === Infinity ? `${Math.round(1e9 / us.ns).toLocaleString('en-US')}/s` : ratio(reached),
    ratio((results.get('floor')?.ns ?? Infinity) / peer.value),
    targetText(target),
    verdict(holds(target, us, reached), Object.keys(target).length > 0 || us.fault !== null),
  ];
}

function coldRow(name: string, cold: Results, warm: Results | undefined): string[] {
  const { title, target } = workloads[name] as (typeof workloads)[string]; // Only called with names of the table.
  const reached = toBest(cold, target);
  const { cold: limit } = target;
  return [
    title,
    ...keys.map((key) => timeOf(cold.get(key))),
    bestOf(cold, target).title,
    ratio(reached),
    ratio(toBest(warm, target)),
    limit === undefined ? '' : `<= ${limit}`,
    verdict(reached <= (limit ?? 0), limit !== undefined),
  ];
}

function liveRow(name: string, live: Results, warm: Results | undefined): string[] {
  const { title, target, windowMs = 0 } = workloads[name] as (typeof workloads)[string]; // Only called with names of the table.
  const us = live.get('edict') as Round; // Always measured.
  const peer = bestOf(live, target);
  const working = us.ns - windowMs * 1e6;
  return [
    title,
    cellOf(us),
    duration(working),
    ...keys.slice(1).map((key) => cellOf(live.get(key))),
    peer.title,
    ratio(us.ns / peer.value),
    ratio(working / peer.value),
    ratio(toBest(warm, target)),
  ];
}

async function heaps(): Promise<string[][]> {
  const rows: string[][] = [];
  for (const [name, { title, n, target }] of Object.entries(heapWorkloads)) {
    const values = new Map<string, number>();
    // Each workload has new processes, so that memory that a library allocates once and never frees is included.
    for (const { key, heap, leave } of createTeam()) {
      // RTK Query copies its whole state for each new entry, so it gets fewer entries. The cost of one entry stays the same.
      values.set(key, await heap(name, key === 'rtk' ? n / 10 : n));
      leave();
    }
    const peer = bestPeer((key) => values.get(key));
    const reached = (values.get('edict') ?? Number.NaN) / peer.value;
    rows.push([
      title,
      ...keys.map((key) => bytes(values.get(key) ?? Number.NaN)),
      peer.title,
      ratio(reached),
      ratio((values.get('floor') ?? Number.NaN) / peer.value),
      targetText(target),
      verdict(reached <= (target.ratio ?? Infinity), target.ratio !== undefined),
    ]);
  }
  return rows;
}

async function growth(team: readonly Member[]): Promise<string[][]> {
  const rows: string[][] = [];
  for (const [name, { title, growth: kind }] of Object.entries(workloads)) {
    if (kind === 'not measured') continue;
    const members = team.filter(({ key }) => (key === 'edict' || key === 'floor') && takesPart(name, key));
    const times = new Map<string, number[]>();
    for (const n of growthSizes) {
      const results = await measure(members, name, n, growthEffort);
      for (const { key } of members)
        times.set(key, [...(times.get(key) ?? []), results.get(key)?.ns ?? Number.NaN]);
    }
    console.error(`${name}, growth: measured`);
    for (const { key, title: library } of members) {
      const measured = times.get(key) ?? [];
      const factor = (measured.at(-1) ?? Number.NaN) / (measured[0] ?? Number.NaN);
      // The largest size has 1,000 times the entries of the smallest, so a cost per entry may grow by that factor.
      const limit = kind === 'constant' ? constantWithin : 1000;
      rows.push([
        title,
        library,
        ...measured.map(duration),
        `${factor.toFixed(1)} x`,
        kind,
        verdict(factor <= limit),
      ]);
    }
  }
  return rows;
}

/** A section of the report, unless it has no rows. */
const section = (title: string, text: string, head: readonly string[], rows: readonly string[][]): string[] =>
  rows.length === 0 ? [] : [`## ${title}`, text, table(head, rows)];

const sections = ['heap', 'cold', 'live', 'growth'];

async function main(): Promise<void> {
  const only = process.argv.slice(2).filter((each) => !each.startsWith('--'));
  const isWanted = (part: string): boolean =>
    only.length === 0 ? !process.argv.includes(`--no-${part}`) : only.includes(part);
  const chosen = only.filter((each) => !sections.includes(each));
  const names = Object.keys(workloads).filter((name) => chosen.length === 0 || chosen.includes(name));
  const note = (part: string, row: readonly string[]): void => console.error(`${part}: ${row.join(' | ')}`);

  const warm = new Map<string, Results>();
  const rows: string[][] = [];
  const growthRows: string[][] = [];
  const team = createTeam();
  try {
    for (const name of only.length > 0 && chosen.length === 0 ? [] : names) {
      const members = team.filter(({ key }) => takesPart(name, key));
      const results = await measure(members, name, workloads[name]?.n ?? 0, effort);
      warm.set(name, results);
      rows.push(comparison(name, results));
      note(name, rows.at(-1) ?? []);
    }
    if (isWanted('growth')) growthRows.push(...(await growth(team)));
  } finally {
    for (const { leave } of team) leave();
  }
  if (isWanted('heap')) rows.push(...(await heaps()));

  const coldRows: string[][] = [];
  const liveRows: string[][] = [];
  const bothWays = names.filter((name) => workloads[name]?.live !== undefined);
  for (const name of isWanted('cold') ? bothWays : []) {
    coldRows.push(coldRow(name, await measureCold(name), warm.get(name)));
    note(`${name}, cold`, coldRows.at(-1) ?? []);
  }
  if (isWanted('live')) {
    const liveTeam = createTeam(keys, 'live');
    try {
      for (const name of bothWays) {
        liveRows.push(liveRow(name, await measureLive(liveTeam, name), warm.get(name)));
        note(`${name}, live`, liveRows.at(-1) ?? []);
      }
    } finally {
      for (const { leave } of liveTeam) leave();
    }
  }

  const head = ['workload', ...titles];
  const report = [
    '# Core: work without a screen',
    machine(),
    ...section(
      'Warm, in virtual time',
      'The time is that of the fastest round. After a warm-up, the libraries take turns, and all have the same number of rounds. Before each round, the library does the same work once without the clock. Each library has a process of its own. Timers are virtual, so a time contains no waiting. The brackets contain the requests of a round, and the watchers that received the current data. A time counts only where the data shown afterwards was right.',
      [...head, 'best peer', 'Edict / best', 'by hand / best', 'target', 'holds'],
      rows,
    ),
    ...section(
      'Cold: the first round of a fresh process',
      'This is the same work in virtual time, but without a warm-up. The library is prepared, and its code for this work runs for the first time. The engine compiles on other threads, as in a browser. The time is the median of seven processes.',
      [...head, 'best peer', 'Edict / best', 'Edict / best, warm', 'target', 'holds'],
      coldRows,
    ),
    ...section(
      'In real time',
      'This is the same work with the timers of Node, by the wall clock. A round ends when the last read has its data, or when the last watcher has received the current data. The server responds after 5 ms. The time is the median of nine rounds after a warm-up. By default, Edict collects directives for 50 ms before it fetches (`bulk.delayMs`). The versions of Zustand and by hand do the same. The second column leaves out these 50 ms.',
      [
        'workload',
        'Edict',
        'Edict without its window',
        ...titles.slice(1),
        'best peer',
        'Edict / best',
        'without the window / best',
        'Edict / best, virtual time',
      ],
      liveRows,
    ),
    ...section(
      'How cost grows with the number of entries',
      'Warm, in virtual time.',
      [
        'workload',
        'library',
        ...growthSizes.map((n) => n.toLocaleString('en-US')),
        'growth',
        'expected',
        'holds',
      ],
      growthRows,
    ),
  ].join('\n\n');
  if (only.length > 0) console.log(report);
  else publish('core', report);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
