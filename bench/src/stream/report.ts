// Writes the report of the stored results.

import { against, spread } from '../report/paired.ts';
import { machine } from '../report/machine.ts';
import { bytes, median, ratio, table, verdict } from '../report/tables.ts';
import { feeds } from './adapters/index.ts';
import { connectingClients } from './connecting.ts';
import type { Kept } from './kept.ts';
import { comesAndGoes, leakToleranceBytes } from './leaks.ts';
import { bodyBytes, burst, mostOfLibraries, type Load } from './load.ts';
import { commitSizes } from './outboxCommit.ts';
import { wantedRate } from './overRedis.ts';
import { slow } from './slowReaders.ts';

const ms = (value: number): string => `${value >= 99.5 ? Math.round(value) : value.toPrecision(2)} ms`;
const micro = (value: number): string => `${value.toPrecision(value < 1 ? 2 : 3)} µs`;
const whole = (value: number): string => value.toLocaleString('en-US');
const titleOf = (key: string): string => feeds[key]?.title ?? key;

type Row = readonly string[];

function loadTargets(count: number, ours: Load, floor: Load): Row[] {
  const single = against(ours.singles, floor.singles);
  const backlog = against(ours.backlogs, floor.backlogs);
  const heap = ours.heap / floor.heap;
  switch (count) {
    case 1000:
      return [
        ['CPU per delivery, relative to plain writes, 1,000 clients, single emits', spread(single), '', ''],
        [`the same with a backlog of ${burst}`, spread(backlog), '', ''],
        ['heap per connection, relative to plain writes', ratio(heap), '', ''],
      ];
    case 10_000:
      return [
        ['longest time that the loop was held, 10,000 clients', ms(ours.heldMs), '', ''],
        [`the same with a backlog of ${burst}`, ms(ours.heldBacklogMs), '', ''],
      ];
    default:
      return [];
  }
}

function loadRows(count: number, loads: Record<string, Load | string>): Row[] {
  const { plain } = loads;
  const of = (pick: (load: Load) => readonly number[], load: Load): string =>
    plain === undefined || typeof plain === 'string'
      ? ''
      : ` (${ratio(against(pick(load), pick(plain)).middle)})`;
  return Object.entries(loads).map(([key, load]) => {
    if (typeof load === 'string')
      return [whole(count), titleOf(key), `failed: ${load}`, '', '', '', '', '', '', ''];
    const heapOf =
      plain === undefined || typeof plain === 'string' ? '' : ` (${ratio(load.heap / plain.heap)})`;
    return [
      whole(count),
      `${titleOf(key)}${load.fault === null ? '' : ` **${load.fault}**`}`,
      `${micro(load.single)}${of(({ singles }) => singles, load)}`,
      `${micro(load.backlog)}${of(({ backlogs }) => backlogs, load)}`,
      ms(load.p50),
      ms(load.p99),
      ms(load.heldMs),
      ms(load.heldBacklogMs),
      `${bytes(load.heap)}${heapOf}`,
      bytes(Math.max(0, load.rss)),
    ];
  });
}

function connectTargets({ connecting: { edict, ring } }: Kept): Row[] {
  if (edict === undefined || ring === undefined) return [];
  const warm = against(edict.warm, ring.warm);
  const title = `CPU of ${whole(connectingClients)} clients that connect, relative to a ring by hand`;
  return [
    [title, spread(warm), '<= 1.1', verdict(warm.middle <= 1.1)],
    [`${title}, in a new process`, spread(against(edict.cold, ring.cold)), '', ''],
  ];
}

function redisTargets({ redis }: Kept): Row[] {
  if (redis === null) return [];
  const rate = median(redis.rates);
  const p99 = median(redis.p99s);
  const micros = median(redis.micros);
  const title = 'two hubs on Redis, one core each';
  return [
    [
      `${title}: emits received per second`,
      whole(Math.round(rate)),
      `>= ${whole(wantedRate)}`,
      verdict(rate >= wantedRate),
    ],
    [`${title}: age, p99`, ms(p99), '< 20 ms', verdict(p99 < 20)],
    [
      `${title}: CPU of a hub per emit`,
      micro(micros),
      `<= ${1e6 / wantedRate} µs`,
      verdict(micros <= 1e6 / wantedRate),
    ],
    [`${title}: CPU of Redis per emit`, micro(median(redis.redisMicros)), '', ''],
  ];
}

function outboxTargets({ outbox }: Kept): Row[] {
  if (outbox === null) return [];
  const [smallest] = commitSizes;
  const timesOf = (emits: number): number[] => outbox[emits] ?? [];
  return commitSizes.flatMap((emits): Row[] => {
    const title = `COMMIT of ${whole(emits)} emits through the outbox`;
    const took = median(timesOf(emits));
    if (emits === smallest) return [[title, ms(took), '', '']];
    // The time must grow linearly. The factor 1.5 allows for the noise of short commits.
    const growth = against(timesOf(emits), timesOf(smallest));
    const most = (1.5 * emits) / smallest;
    const limited = emits === 8000 ? [[title, ms(took), '<= 300 ms', verdict(took <= 300)]] : [];
    return [
      ...limited,
      [
        `${title}, relative to ${whole(smallest)} emits`,
        spread(growth),
        `<= ${most}`,
        verdict(growth.middle <= most),
      ],
    ];
  });
}

function slowTarget({ slow: { edict } }: Kept): Row[] {
  if (edict === undefined || typeof edict === 'string') return [];
  const isWell = edict.growth < 8e6 && edict.healthy === 'all' && edict.recovers === 'yes';
  return [
    [
      '5 of 15 clients stop reading: growth, the others, recovery',
      `${bytes(edict.growth)}, ${edict.healthy}, ${edict.recovers}`,
      '< 8 MB, all, yes',
      verdict(isWell),
    ],
  ];
}

function leakTarget({ leaks: { edict, plain } }: Kept): Row[] {
  if (edict === undefined || plain === undefined || typeof edict === 'string' || typeof plain === 'string')
    return [];
  return [
    [
      `remains of ${whole(comesAndGoes)} disconnected clients`,
      `${edict.left} connections, ${bytes(edict.bytesEach)} each`,
      // With every server, Node keeps some memory of each connection for a while.
      `0, with plain writes ${bytes(plain.bytesEach)}`,
      verdict(edict.left === 0 && edict.bytesEach <= plain.bytesEach + leakToleranceBytes),
    ],
  ];
}

/** A heap that has grown by more than this for each connection counts as a leak. */
const heldGrowthBytes = 100;

function heldTarget({ held }: Kept): Row[] {
  if (held === null || typeof held === 'string') return [];
  const { connections, minutes, open, served, fewestBeats, reached, heapBefore, heapAfter } = held;
  const growth = heapAfter - heapBefore;
  const isWell =
    open === connections &&
    served === connections &&
    reached === connections &&
    fewestBeats > 0 &&
    growth < heldGrowthBytes * connections;
  return [
    [
      `${whole(connections)} connections open for ${minutes} minutes with heartbeats`,
      `${whole(open)} open, heap ${growth < 0 ? '-' : '+'}${bytes(Math.abs(growth))}`,
      `all, < +${bytes(heldGrowthBytes * connections)}`,
      verdict(isWell),
    ],
  ];
}

function heldPart({ held }: Kept): string[] {
  if (held === null) return [];
  if (typeof held === 'string') return ['## Connections that stay open', `failed: ${held}`];
  return [
    `## ${whole(held.connections)} connections open for ${held.minutes} minutes`,
    `The hub only sends a heartbeat every 15 s. At the end, ${whole(held.open)} connections are open for the clients, and ${whole(held.served)} for the hub. The clients received ${whole(held.beats)} heartbeats, with at least ${held.fewestBeats} on each connection. A message emitted at the end reached ${whole(held.reached)} connections. The heap size was ${bytes(held.heapBefore)} before and ${bytes(held.heapAfter)} after. The resident memory ${held.rssGrowth < 0 ? 'fell' : 'grew'} by ${bytes(Math.abs(held.rssGrowth))}. The process of the hub used ${(held.cpuShare * 100).toPrecision(2)} % of a core.`,
  ];
}

/** Returns the report as Markdown. */
export function report(kept: Kept): string {
  const counts = Object.keys(kept.loads)
    .map(Number)
    .toSorted((a, b) => a - b);
  const rows: Row[] = [];
  const targets: Row[] = [];
  for (const count of counts) {
    const loads = kept.loads[count] ?? {};
    rows.push(...loadRows(count, loads));
    const { edict, plain } = loads;
    if (edict === undefined || plain === undefined || typeof edict === 'string' || typeof plain === 'string')
      continue;
    targets.push(...loadTargets(count, edict, plain));
  }
  targets.push(
    ...connectTargets(kept),
    ...redisTargets(kept),
    ...outboxTargets(kept),
    ...slowTarget(kept),
    ...leakTarget(kept),
    ...heldTarget(kept),
  );
  const slowRows = Object.entries(kept.slow).map(([key, each]) =>
    typeof each === 'string'
      ? [titleOf(key), `failed: ${each}`, '', '']
      : [titleOf(key), bytes(each.growth), each.healthy, each.recovers],
  );
  const leakRows = Object.entries(kept.leaks).map(([key, each]) =>
    typeof each === 'string'
      ? [titleOf(key), `failed: ${each}`, '']
      : [titleOf(key), String(each.left), bytes(each.bytesEach)],
  );
  const stamps = Object.entries(kept.stamps).map(([piece, stamp]) => `${piece} ${stamp}`);
  return [
    '# Stream: the hub beside plain writes and the libraries',
    machine(['better-sse', '@fastify/sse', 'fastify', 'hono', '@hono/node-server']),
    `Each piece was measured at this commit, at this time, and under this load.\n\n${stamps.map((stamp) => `- ${stamp}`).join('\n')}`,
    `Servers and clients are separate processes, over the loopback. Each message is one JSON envelope with one directive of ${bodyBytes} bytes. The frames of all servers have 426 bytes, except for one digit and the id that some libraries add. All servers with the same number of clients run at the same time and take turns, and garbage is collected before each turn. A number is the median of the rounds. Libraries are measured with ${whole(mostOfLibraries)} clients at most, because a backlog to more takes them minutes. In the table of targets, the brackets contain the lowest and the highest round. In the other table, they contain the ratio to plain \`node:http\` writes, as the median of the rounds. CPU is the user and system time of the whole server process. Single emits have a pause after each, and a backlog is ${burst} emits in one turn of the loop. *Held* is the longest time between two phases of the loop, in all watched rounds.`,
    table(['target', 'measured', 'wanted', 'holds'], targets),
    table(
      [
        'clients',
        'server',
        'CPU per delivery, single',
        `backlog of ${burst}`,
        'p50',
        'p99',
        'loop held, single',
        'backlog',
        'heap per connection',
        'RSS',
      ],
      rows,
    ),
    `## Slow readers\n\n${slow.stalled} of ${slow.clients} clients stop reading while the server emits ${bytes(slow.offered)} in total. A server recovers if all clients receive the last message after they read again.`,
    table(['server', 'growth', 'received by the others', 'recovers'], slowRows),
    `## ${whole(comesAndGoes)} clients connect and disconnect`,
    table(['server', 'connections left', 'heap left per client'], leakRows),
    ...heldPart(kept),
  ].join('\n\n');
}
