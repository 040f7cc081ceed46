// Measures servers of event streams, each in a process of its own, with the load from another.
// `--sizes=100,1000` chooses the numbers of clients; `--all` measures the libraries with
// every number of them; `--long` adds 10,000 connections held for five minutes.

import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { machine } from '../report/machine.ts';
import { bytes, publish, ratio, table, verdict } from '../report/tables.ts';
import { feeds } from './adapters/index.ts';
import type { ClientOrder, Emitted, Memory, Received, ServerOrder } from './orders.ts';

const sizesOption = process.argv.find((each) => each.startsWith('--sizes='))?.slice(8);
const sizes = sizesOption === undefined ? [100, 1000, 5000, 10_000] : sizesOption.split(',').map(Number);
/** The libraries are measured at these alone, without `--all`: the rest shows how ours and the floor grow. */
const librarySizes = new Set([100, 1000]);
const isWhole = process.argv.includes('--all') || sizesOption !== undefined;
/** What takes longer has failed. */
const patienceMs = 60_000;
const bodyBytes = 100;
/** Deliveries of a measured run, so that small and large ones take alike long. */
const deliveries = 25_000;
const backlogDeliveries = 50_000;
const fewestTurns = 4;
const slow = { clients: 15, stalled: 5, offered: 200_000_000, bytes: 20_000 };
const comesAndGoes = 2000;
/** What the heap differs by from run to run, for each that came and went. */
const leakToleranceBytes = 100;

type Run = (order: ServerOrder | ClientOrder) => Promise<unknown>;

function ask(child: ChildProcess, order: ServerOrder | ClientOrder): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const gone = (code: number | null): void =>
      reject(new Error(`the process ended (${code}) at "${order.do}"`));
    const late = setTimeout(
      () => reject(new Error(`no end to "${order.do}" within ${patienceMs / 1000} s`)),
      patienceMs,
    );
    child.once('exit', gone);
    child.once('message', (answer: { ok: unknown } | { fault: string }) => {
      clearTimeout(late);
      child.off('exit', gone);
      if ('fault' in answer) reject(new Error(answer.fault));
      else resolve(answer.ok);
    });
    child.send(order);
  });
}

/** Starts a server and its clients; ends both. */
async function withPair<T>(
  key: string,
  run: (server: Run, clients: Run, port: number) => Promise<T>,
): Promise<T> {
  const dist = `${process.env['BENCH_ROOT'] ?? '.'}/dist/stream`;
  const server = fork(`${dist}/server.cjs`, [key], { execArgv: ['--expose-gc'] });
  const clients = fork(`${dist}/clients.cjs`, [], { execArgv: ['--expose-gc'] });
  try {
    const port = Number(await ask(server, { do: 'listen' }));
    return await run(
      (order) => ask(server, order),
      (order) => ask(clients, order),
      port,
    );
  } finally {
    server.kill();
    clients.kill();
  }
}

/** Until every client has everything, or nothing more comes. */
async function allReceived(clients: Run, wanted: number): Promise<Received> {
  let last = -1;
  for (;;) {
    const now = (await clients({ do: 'received' })) as Received; // What the order answers.
    const messages = now.messages + now.stalledMessages;
    if (now.messages >= wanted || messages === last) return now;
    last = messages;
    await wait(300);
  }
}

interface Load {
  /** Microseconds on a core a delivery: one message at a time; and one a turn without a pause. */
  single: number;
  backlog: number;
  p50: number;
  p99: number;
  heldMs: number;
  heap: number;
  rss: number;
  fault: string | null;
}

async function load(key: string, count: number): Promise<Load> {
  return withPair(key, async (server, clients, port) => {
    const memory = (): Promise<Memory> => server({ do: 'memory' }) as Promise<Memory>; // What the order answers.
    const emit = async (turns: number, pauseMs: number, isWatched = false): Promise<[Emitted, Received]> => {
      await clients({ do: 'forget' });
      const emitted = (await server({ do: 'emit', turns, pauseMs, bytes: bodyBytes, isWatched })) as Emitted; // As above.
      return [emitted, await allReceived(clients, turns * count)];
    };
    await clients({ do: 'connect', port, count: 10 });
    await emit(200, 0); // Code that runs for the first time is not measured.
    const before = await memory();
    await clients({ do: 'connect', port, count: count - 10 });
    const after = await memory();
    const turns = Math.max(fewestTurns, Math.round(deliveries / count));
    // A pause that lets a fan-out end before the next begins.
    const pauseMs = Math.max(2, Math.ceil(count / 40));
    const [{ heldMs }] = await emit(fewestTurns, pauseMs, true);
    const [single, first] = await emit(turns, pauseMs);
    const backlogTurns = Math.max(50, Math.round(backlogDeliveries / count / 50) * 50);
    const [backlog, second] = await emit(backlogTurns, 0);
    const wantedSingle = turns * count;
    const wantedBacklog = backlogTurns * count;
    const lost = [
      first.messages === wantedSingle ? null : `${first.messages} of ${wantedSingle} arrived`,
      second.messages === wantedBacklog
        ? null
        : `${second.messages} of ${wantedBacklog} arrived under a backlog`,
    ].filter((fault) => fault !== null);
    return {
      single: single.cpuMicros / wantedSingle,
      backlog: backlog.cpuMicros / wantedBacklog,
      p50: first.p50,
      p99: first.p99,
      heldMs,
      heap: (after.heap - before.heap) / (count - 10),
      rss: (after.rss - before.rss) / (count - 10),
      fault: lost.length === 0 ? null : lost.join('; '),
    };
  });
}

interface Slow {
  growth: number;
  healthy: string;
  recovers: string;
}

/** Some clients stop reading while much is offered. */
async function slowReaders(key: string): Promise<Slow> {
  return withPair(key, async (server, clients, port) => {
    const { clients: count, stalled, offered, bytes: size } = slow;
    await clients({ do: 'connect', port, count });
    await server({ do: 'emit', turns: 20, pauseMs: 1, bytes: size, isWatched: false });
    await allReceived(clients, 20 * count);
    const before = (await server({ do: 'memory' })) as Memory; // What the order answers.
    await clients({ do: 'stall', count: stalled });
    await clients({ do: 'forget' });
    const turns = Math.round(offered / count / size);
    await server({ do: 'emit', turns, pauseMs: 2, bytes: size, isWatched: false });
    const healthy = await allReceived(clients, turns * (count - stalled));
    const after = (await server({ do: 'memory' })) as Memory;
    await clients({ do: 'resume' });
    await wait(500);
    await server({ do: 'emit', turns: 3, pauseMs: 20, bytes: size, isWatched: false });
    await wait(500);
    const end = (await clients({ do: 'received' })) as Received;
    const isRecovered = end.lowestSeq === end.highestSeq && end.open === count;
    return {
      growth: after.all - before.all,
      healthy:
        healthy.messages >= turns * (count - stalled)
          ? 'all'
          : `${healthy.messages} of ${turns * (count - stalled)}`,
      recovers: isRecovered ? 'yes' : 'no',
    };
  });
}

interface Leak {
  left: number;
  bytesEach: number;
}

/** Clients that come and go: what is left of them. */
async function leaks(key: string): Promise<Leak> {
  return withPair(key, async (server, clients, port) => {
    const comeAndGo = async (): Promise<void> => {
      await clients({ do: 'connect', port, count: comesAndGoes / 4 });
      await clients({ do: 'disconnect' });
    };
    // What grows once and stays, such as tables, is there after the first.
    await comeAndGo();
    await comeAndGo();
    await wait(300);
    const before = (await server({ do: 'memory' })) as Memory; // What the order answers.
    for (let i = 0; i < 4; i++) await comeAndGo();
    await wait(500);
    const after = (await server({ do: 'memory' })) as Memory;
    return {
      left: Number(await server({ do: 'connections' })),
      bytesEach: Math.max(0, after.heap - before.heap) / comesAndGoes,
    };
  });
}

async function held(): Promise<string> {
  return withPair('edict', async (server, clients, port) => {
    await clients({ do: 'connect', port, count: 10_000 });
    const before = (await server({ do: 'memory' })) as Memory; // What the order answers.
    await wait(300_000);
    const after = (await server({ do: 'memory' })) as Memory;
    const { open } = (await clients({ do: 'received' })) as Received;
    return `10,000 connections held for 5 minutes with heartbeats: ${open} open, heap ${bytes(after.heap - before.heap)} more.`;
  });
}

const ms = (value: number): string => `${value >= 100 ? Math.round(value) : value.toPrecision(2)} ms`;
const micro = (value: number): string => `${value.toPrecision(2)} µs`;

async function main(): Promise<void> {
  const keys = Object.keys(feeds);
  const rows: string[][] = [];
  const targets: string[][] = [];
  for (const size of sizes) {
    const loads = new Map<string, Load>();
    for (const key of keys) {
      if (key !== 'edict' && key !== 'plain' && !librarySizes.has(size) && !isWhole) continue;
      const measured = await load(key, size).catch((error: unknown) => String(error));
      console.error(`${size} ${key}: ${JSON.stringify(measured)}`);
      if (typeof measured === 'string') {
        rows.push([
          size.toLocaleString('en-US'),
          feeds[key]?.title ?? key,
          `failed: ${measured}`,
          '',
          '',
          '',
          '',
          '',
          '',
        ]);
        continue;
      }
      loads.set(key, measured);
    }
    const floor = loads.get('plain');
    for (const [key, { single, backlog, p50, p99, heldMs, heap, rss, fault }] of loads) {
      const to = (of: (load: Load) => number, value: number): string =>
        floor === undefined ? '' : ` (${ratio(value / of(floor))})`;
      rows.push([
        size.toLocaleString('en-US'),
        `${feeds[key]?.title ?? key}${fault === null ? '' : ` **${fault}**`}`,
        `${micro(single)}${to((each) => each.single, single)}`,
        `${micro(backlog)}${to((each) => each.backlog, backlog)}`,
        ms(p50),
        ms(p99),
        ms(heldMs),
        `${bytes(heap)}${to((each) => each.heap, heap)}`,
        bytes(Math.max(0, rss)),
      ]);
    }
    const us = loads.get('edict');
    if (us === undefined || floor === undefined) continue;
    const judge = (title: string, value: number, limit: number, text: string): void => {
      targets.push([title, text, `<= ${limit}`, verdict(value <= limit)]);
    };
    if (size === 1000) {
      judge(
        'CPU a delivery, of the floor, 1,000 clients, single emits',
        us.single / floor.single,
        0.8,
        ratio(us.single / floor.single),
      );
      judge('the same under a backlog', us.backlog / floor.backlog, 0.15, ratio(us.backlog / floor.backlog));
      judge('heap a connection, of the floor', us.heap / floor.heap, 1.3, ratio(us.heap / floor.heap));
    }
    if (size === 10_000) judge('loop held at a time, 10,000 clients, ms', us.heldMs, 15, ms(us.heldMs));
  }
  const slowRows: string[][] = [];
  const leakRows: string[][] = [];
  const leaked = new Map<string, Leak>();
  for (const key of keys) {
    const title = feeds[key]?.title ?? key;
    const readers = await slowReaders(key).catch((error: unknown) => String(error));
    const leak = await leaks(key).catch((error: unknown) => String(error));
    console.error(`${key}: ${JSON.stringify([readers, leak])}`);
    if (typeof readers === 'string') slowRows.push([title, `failed: ${readers}`, '', '']);
    else {
      slowRows.push([title, bytes(readers.growth), readers.healthy, readers.recovers]);
      if (key === 'edict') {
        const isWell = readers.growth < 8e6 && readers.healthy === 'all' && readers.recovers === 'yes';
        targets.push([
          '5 of 15 stop reading: growth, the others, recovery',
          slowRows.at(-1)?.slice(1).join(', ') ?? '',
          '< 8 MB, all, yes',
          verdict(isWell),
        ]);
      }
    }
    if (typeof leak === 'string') leakRows.push([title, `failed: ${leak}`, '']);
    else {
      leakRows.push([title, String(leak.left), bytes(leak.bytesEach)]);
      leaked.set(key, leak);
    }
  }
  const ours = leaked.get('edict');
  const plain = leaked.get('plain');
  if (ours !== undefined && plain !== undefined) {
    targets.push([
      `${comesAndGoes.toLocaleString('en-US')} came and went: left`,
      `${ours.left} connections, ${bytes(ours.bytesEach)} each`,
      // Node keeps a little of each for a while, whoever serves.
      `0, the floor's ${bytes(plain.bytesEach)}`,
      verdict(ours.left === 0 && ours.bytesEach <= plain.bytesEach + leakToleranceBytes),
    ]);
  }
  const parts = [
    '# Stream: the hub beside plain writes and the libraries',
    machine(['better-sse', '@fastify/sse', 'fastify', 'hono', '@hono/node-server']),
    `Server and clients in separate processes, over the loopback; one JSON envelope with one directive of ${bodyBytes} bytes. In brackets: of plain \`node:http\` writes. CPU is that of the whole server process: single emits with a pause after each, and a backlog of 50 emits in one turn of the loop. Held: the longest time on a core between two phases of the loop.`,
    table(['target', 'measured', 'wanted', 'holds'], targets),
    table(
      [
        'clients',
        '',
        'CPU a delivery, single',
        'under a backlog',
        'p50',
        'p99',
        'loop held',
        'heap a connection',
        'RSS',
      ],
      rows,
    ),
    `## Slow readers\n\n${slow.stalled} of ${slow.clients} clients stop reading while ${bytes(slow.offered)} are offered in all. Recovers: once they read again, all see the last number.`,
    table(['', 'growth', 'the others got', 'recovers'], slowRows),
    `## ${comesAndGoes.toLocaleString('en-US')} clients come and go`,
    table(['', 'connections left', 'heap left of each'], leakRows),
  ];
  if (process.argv.includes('--long')) parts.push(await held());
  publish('stream', parts.join('\n\n'));
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
