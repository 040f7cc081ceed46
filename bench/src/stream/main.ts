// Measures servers of event streams. Each server runs in a process of its own, and its clients run in another process.
//
//   --only=1000,10000,connect,redis,outbox,slow,leaks,held   measures only these pieces; the report has the latest results of the others
//   --report                                                 measures nothing, and writes the report of the latest results
//   --sizes=100,1000                                         the numbers of clients
//   --servers=edict,plain                                    the servers
//   --long                                                   adds 10,000 connections that stay open for five minutes

import { loadavg } from 'node:os';
import { commit } from '../report/machine.ts';
import { publish } from '../report/tables.ts';
import { feeds } from './adapters/index.ts';
import { connecting } from './connecting.ts';
import { heldOpen } from './heldOpen.ts';
import { keep, readKept, type Kept } from './kept.ts';
import { leaks } from './leaks.ts';
import { load, mostOfLibraries } from './load.ts';
import { outboxCommit } from './outboxCommit.ts';
import { overRedis } from './overRedis.ts';
import { report } from './report.ts';
import { slowReaders } from './slowReaders.ts';

const option = (name: string): string[] | null =>
  process.argv
    .find((each) => each.startsWith(`--${name}=`))
    ?.slice(name.length + 3)
    .split(',') ?? null;

const byHand = ['edict', 'plain', 'ring'];

const sizes = option('sizes') ?? ['100', '1000', '5000', '10000'];
const chosen = option('servers');
const servers = chosen ?? Object.keys(feeds);
const asked = option('only') ?? [
  ...sizes,
  'connect',
  'redis',
  'outbox',
  'slow',
  'leaks',
  ...(process.argv.includes('--long') ? ['held'] : []),
];

const pieces = process.argv.includes('--report') ? [] : asked;

const serversFor = (clients: number): string[] =>
  chosen === null && clients > mostOfLibraries ? byHand : servers;

const stamp = (): string =>
  `${commit()}, ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, load ${loadavg()
    .slice(0, 2)
    .map((each) => each.toFixed(1))
    .join(' ')}`;

async function forEach<T>(measure: (key: string) => Promise<T>): Promise<Record<string, T | string>> {
  const measured: Record<string, T | string> = {};
  for (const key of servers) measured[key] = await measure(key).catch((error: unknown) => String(error));
  return measured;
}

async function main(): Promise<void> {
  for (const piece of pieces) {
    const stamped = stamp();
    const startedAt = performance.now();
    const measured: Partial<Kept> = {};
    if (piece === 'slow') measured.slow = await forEach(slowReaders);
    else if (piece === 'connect') measured.connecting = await connecting(['edict', 'ring']);
    else if (piece === 'redis') measured.redis = await overRedis();
    else if (piece === 'outbox') measured.outbox = await outboxCommit();
    else if (piece === 'leaks') measured.leaks = await forEach(leaks);
    else if (piece === 'held') measured.held = await heldOpen().catch((error: unknown) => String(error));
    else measured.loads = { [piece]: await load(serversFor(Number(piece)), Number(piece)) };
    measured.stamps = { [piece]: stamped };
    keep(measured);
    console.error(`${piece}: ${Math.round((performance.now() - startedAt) / 1000)} s`);
  }
  publish('stream', report(readKept()));
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
