// Measures every library on every workload, rounds taken in turn, and how the cost grows with the number of entries.

import type { Member } from './team.ts';
import { createTeam } from './team.ts';
import type { Round } from './worker.ts';
import type { Target } from './workloads.ts';
import { heapWorkloads, workloads } from './workloads.ts';
import { machine } from '../report/machine.ts';
import { bytes, duration, publish, ratio, table, verdict } from '../report/tables.ts';

interface Effort {
  readonly rounds: number;
  /** A short round is repeated until it has come to so much: before, its code is the interpreter's and the compiler's. */
  readonly leastMs: number;
  /** No more rounds once a library has used this much on a workload. */
  readonly mostMs: number;
}

const effort: Effort = { rounds: 15, leastMs: 500, mostMs: 1500 };
const growthEffort: Effort = { rounds: 9, leastMs: 150, mostMs: 400 };
const mostRounds = 1500;
const growthSizes = [100, 1000, 10_000, 100_000];
/** Constant means: at the largest size at most this many times what it is at the smallest. */
const constantWithin = 4;

interface Result {
  /** The fastest round: what the code costs when nothing else disturbs it. */
  best: number;
  requests: number;
  told: number;
  fault: string | null;
}

type Results = ReadonlyMap<string, Result>;

function isEnough({ rounds, leastMs, mostMs }: Effort, done: number, ms: number): boolean {
  if (done < 2) return false;
  return ms > mostMs || done >= mostRounds || (done >= rounds && ms >= leastMs);
}

/** Rounds in turn, so that whatever else the machine does meets all alike. */
async function measure(team: readonly Member[], name: string, n: number, given: Effort): Promise<Results> {
  const results = new Map<string, Result>();
  const spent = new Map<string, number>();
  const { ops } = workloads[name] as (typeof workloads)[string]; // Only called with names of the table.
  for (const { prepare } of team) await prepare(name, n);
  let going = team;
  for (let done = 0; going.length > 0; done++) {
    going = going.filter(({ key }) => !isEnough(given, done, spent.get(key) ?? 0));
    for (const { key, round } of going) {
      const { ns, requests, told, fault }: Round = await round();
      spent.set(key, (spent.get(key) ?? 0) + (ns * ops(n)) / 1e6);
      const before = results.get(key);
      results.set(key, {
        best: Math.min(before?.best ?? Infinity, ns),
        requests,
        told,
        fault: before?.fault ?? fault,
      });
    }
  }
  for (const { end } of team) await end();
  return results;
}

function bestPeer(
  team: readonly Member[],
  valueOf: (key: string) => number | undefined,
): { title: string; value: number } {
  let best = { title: '–', value: Infinity };
  for (const { key, role, title } of team) {
    const value = valueOf(key);
    if (role === 'peer' && value !== undefined && value < best.value) best = { title, value };
  }
  return best;
}

function targetText({ ratio: limit, requests, told, perSecond }: Target): string {
  return [
    limit === undefined ? '' : `<= ${limit}`,
    perSecond === undefined ? '' : `>= ${perSecond.toLocaleString('en-US')}/s`,
    requests === undefined ? '' : `<= ${requests} req`,
    told === undefined ? '' : `${told} notified`,
  ]
    .filter((part) => part !== '')
    .join(', ');
}

function holds(target: Target, result: Result, toBest: number): boolean {
  return (
    result.fault === null &&
    (target.ratio === undefined || toBest <= target.ratio) &&
    (target.requests === undefined || result.requests <= target.requests) &&
    (target.told === undefined || result.told === target.told) &&
    (target.perSecond === undefined || 1e9 / result.best >= target.perSecond)
  );
}

function cellOf(result: Result | undefined): string {
  if (result === undefined) return '–';
  const { best, requests, told, fault } = result;
  const counts = [
    requests > 0 ? `${requests.toLocaleString('en-US')} req` : '',
    told > 0 ? `${told} notified` : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
  return `${duration(best)}${counts === '' ? '' : ` (${counts})`}${fault === null ? '' : ` **wrong**: ${fault}`}`;
}

function comparison(team: readonly Member[], name: string, results: Results): string[] {
  const { title, target } = workloads[name] as (typeof workloads)[string]; // Measured by that name.
  const us = results.get('edict') as Result; // Always measured.
  const peer = bestPeer(team, (key) => {
    const result = results.get(key);
    return result?.fault === null && result.requests <= (target.peerRequests ?? Infinity)
      ? result.best
      : undefined;
  });
  const floor = results.get('floor');
  const toBest = us.best / peer.value;
  return [
    title,
    ...team.map(({ key }) => cellOf(results.get(key))),
    peer.title,
    peer.value === Infinity ? `${Math.round(1e9 / us.best).toLocaleString('en-US')}/s` : ratio(toBest),
    ratio((floor?.best ?? Infinity) / peer.value),
    targetText(target),
    verdict(holds(target, us, toBest), Object.keys(target).length > 0 || us.fault !== null),
  ];
}

async function heaps(): Promise<string[][]> {
  const rows: string[][] = [];
  for (const [name, { title, n, target }] of Object.entries(heapWorkloads)) {
    const values = new Map<string, number>();
    // Fresh processes: what a library keeps for good counts too, and only the first time.
    const team = createTeam();
    for (const { key, heap, leave } of team) {
      // RTK Query copies its whole state for each new entry: an entry costs the same among fewer.
      values.set(key, await heap(name, key === 'rtk' ? n / 10 : n));
      leave();
    }
    const us = values.get('edict') ?? Number.NaN;
    const peer = bestPeer(team, (key) => values.get(key));
    const toBest = us / peer.value;
    rows.push([
      title,
      ...team.map(({ key }) => bytes(values.get(key) ?? Number.NaN)),
      peer.title,
      ratio(toBest),
      ratio((values.get('floor') ?? Number.NaN) / peer.value),
      targetText(target),
      verdict(toBest <= (target.ratio ?? Infinity), target.ratio !== undefined),
    ]);
  }
  return rows;
}

async function growth(team: readonly Member[]): Promise<string[][]> {
  const rows: string[][] = [];
  for (const [name, { title, growth: kind, without }] of Object.entries(workloads)) {
    if (kind === 'not measured') continue;
    const members = team.filter(
      ({ key }) => key === 'edict' || (key === 'floor' && without?.includes(key) !== true),
    );
    const times = new Map<string, number[]>();
    for (const n of growthSizes) {
      const results = await measure(members, name, n, growthEffort);
      for (const { key } of members)
        times.set(key, [...(times.get(key) ?? []), results.get(key)?.best ?? Number.NaN]);
    }
    for (const { key, title: library } of members) {
      const measured = times.get(key) ?? [];
      const factor = (measured.at(-1) ?? Number.NaN) / (measured[0] ?? Number.NaN);
      // Per entry: a thousand times the entries, and no more than that many times the cost.
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

async function main(): Promise<void> {
  const only = process.argv.slice(2).filter((each) => !each.startsWith('--'));
  const isShort = process.argv.includes('--no-growth');
  const team = createTeam();
  const head = [
    'workload',
    ...team.map(({ title }) => title),
    'best peer',
    'Edict / best',
    'by hand / best',
    'target',
    'holds',
  ];
  const rows: string[][] = [];
  try {
    for (const [name, { n, without }] of Object.entries(workloads)) {
      if (only.length > 0 && !only.includes(name)) continue;
      const members = team.filter(({ key }) => without?.includes(key) !== true);
      rows.push(comparison(team, name, await measure(members, name, n, effort)));
      console.error(`${name}: ${rows.at(-1)?.slice(1).join(' | ') ?? ''}`);
    }
    const heapRows = only.length === 0 || only.includes('heap') ? await heaps() : [];
    const growthRows = isShort || only.length > 0 ? [] : await growth(team);
    const parts = [
      '# Core: work without a screen',
      machine(),
      'Time is the fastest of several rounds, taken in turn, each library in a process of its own; timers are virtual, so it is work and no waiting. In brackets: requests and notified watchers in a round. A time counts only where the data shown afterwards was true.',
      table(head, [...rows, ...heapRows]),
      ...(growthRows.length === 0
        ? []
        : [
            '## How cost grows with the number of entries',
            table(
              [
                'workload',
                '',
                ...growthSizes.map((n) => n.toLocaleString('en-US')),
                'growth',
                'expected',
                'holds',
              ],
              growthRows,
            ),
          ]),
    ];
    if (only.length > 0) console.log(parts.join('\n\n'));
    else publish('core', parts.join('\n\n'));
  } finally {
    for (const { leave } of team) leave();
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
