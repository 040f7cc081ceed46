// Measures the CPU time, the delay, the heap, and the longest blocking of servers that run at the same time and take turns.

import { median } from '../report/tables.ts';
import type { Emitting, Received } from './orders.ts';
import { openPair, type Pair } from './pair.ts';

/** The results of a server. Each value is the median of its rounds, unless its comment specifies something else. */
export interface Load {
  /** The CPU time for each delivery in microseconds, with single messages. */
  readonly single: number;
  /** The same with fifty messages in one turn of the loop. */
  readonly backlog: number;
  /** The values of the rounds. */
  readonly singles: readonly number[];
  readonly backlogs: readonly number[];
  readonly p50: number;
  readonly p99: number;
  /** The longest time that the loop was blocked in any round, in milliseconds, with single messages. */
  readonly heldMs: number;
  /** The same with fifty messages in one turn of the loop. */
  readonly heldBacklogMs: number;
  /** Bytes for each connection. */
  readonly heap: number;
  readonly rss: number;
  /** A description of missing messages, or null. */
  readonly fault: string | null;
}

export const bodyBytes = 100;
export const burst = 50;
/** The deliveries of a measured round. The number is the same for few and many clients, so that their rounds take a similar time. */
const deliveries = 10_000;
const burstDeliveries = 50_000;
const fewestTurns = 2;
/** The same number for every server. */
const rounds = 7;
/** After this many bursts, a CPU profile shows no more compilation. */
const warmBursts = 400;
const watchedRounds = 3;
const watchedTurns = 4;

/** The most clients for the libraries, which need minutes for a backlog to more. Only the hub and the servers by hand are measured with more. */
export const mostOfLibraries = 1000;

/** Measures the servers, each with `count` clients. The result of a server that fails is its error. */
export async function load(keys: readonly string[], count: number): Promise<Record<string, Load | string>> {
  const stands = new Map<string, Stand>();
  const answers: Record<string, Load | string> = {};
  const fail = (key: string, error: unknown): void => {
    answers[key] = String(error);
    stands.get(key)?.pair.close();
    stands.delete(key);
  };
  try {
    for (const key of keys) {
      const pair = await openPair(key);
      await prepare(pair, count)
        .then((stand) => stands.set(key, stand))
        .catch((error: unknown) => {
          pair.close();
          fail(key, error);
        });
    }
    for (let round = 0; round < rounds; round++) {
      // The order alternates, so that no server always has the advantage of being first.
      const order = round % 2 === 0 ? [...stands] : [...stands].toReversed();
      for (const [key, stand] of order)
        await stand.round(round < watchedRounds).catch((error: unknown) => fail(key, error));
    }
    for (const [key, stand] of stands) answers[key] = stand.load();
    return answers;
  } finally {
    for (const { pair } of stands.values()) pair.close();
  }
}

/** A server that is ready, with its results so far. */
interface Stand {
  readonly pair: Pair;
  readonly round: (isWatched: boolean) => Promise<void>;
  readonly load: () => Load;
}

async function prepare(pair: Pair, count: number): Promise<Stand> {
  const { port, clients } = pair;
  const singles: number[] = [];
  const backlogs: number[] = [];
  const p50s: number[] = [];
  const p99s: number[] = [];
  const faults = new Set<string>();
  let held = 0;
  let heldBacklog = 0;

  /** Runs an order that emits, and waits until all clients have received everything. */
  async function through<T>({ turns, burst: each }: Emitting, run: () => Promise<T>): Promise<[T, Received]> {
    const wanted = turns * each * count;
    await clients({ do: 'forget' });
    const value = await run();
    const received = await pair.allReceived(wanted);
    if (received.messages !== wanted) faults.add(`${received.messages} of ${wanted} arrived`);
    return [value, received];
  }

  /** The CPU time for each delivery in microseconds. It includes the work that a server does after its clients have read. */
  async function cost(emitting: Emitting): Promise<[number, Received]> {
    const [, received] = await through(emitting, () => pair.emit(emitting));
    return [(await pair.spent()) / (emitting.turns * emitting.burst * count), received];
  }

  async function hold(emitting: Emitting): Promise<number> {
    const [heldMs] = await through(emitting, () => pair.watch(emitting));
    return heldMs;
  }

  const single: Emitting = {
    turns: Math.max(fewestTurns, Math.round(deliveries / count)),
    burst: 1,
    // A fan-out ends before the next one begins, even on a machine that is half as fast.
    pauseMs: Math.max(5, Math.ceil(count / 20)),
    bytes: bodyBytes,
  };
  const backlog: Emitting = {
    turns: Math.max(1, Math.round(burstDeliveries / count / burst)),
    burst,
    pauseMs: null,
    bytes: bodyBytes,
  };

  await clients({ do: 'connect', port, count: 10 });
  // Warms up the server, so that the measurement does not include the first run and the compilation of its code.
  await pair.emit({ ...single, turns: 400, pauseMs: 1 });
  await pair.emit({ ...backlog, turns: warmBursts, pauseMs: 1 });
  const before = await pair.memory();
  await clients({ do: 'connect', port, count: count - 10 });
  const after = await pair.memory();
  await pair.emit({ ...single, turns: 4 });
  await pair.emit({ ...backlog, turns: count > 1000 ? 1 : 2 });
  await pair.allReceived(Number.POSITIVE_INFINITY); // Waits until no more messages arrive.

  return {
    pair,
    async round(isWatched) {
      const [one, { p50, p99 }] = await cost(single);
      const [many] = await cost(backlog);
      singles.push(one);
      backlogs.push(many);
      p50s.push(p50);
      p99s.push(p99);
      if (!isWatched) return;
      held = Math.max(held, await hold({ ...single, turns: watchedTurns }));
      // A server that watches its loop never rests, so the order has a pause instead.
      heldBacklog = Math.max(heldBacklog, await hold({ ...backlog, turns: 1, pauseMs: 0 }));
    },
    load: () => ({
      single: median(singles),
      backlog: median(backlogs),
      singles,
      backlogs,
      p50: median(p50s),
      p99: median(p99s),
      heldMs: held,
      heldBacklogMs: heldBacklog,
      heap: (after.heap - before.heap) / (count - 10),
      rss: (after.rss - before.rss) / (count - 10),
      fault: faults.size === 0 ? null : [...faults].join('; '),
    }),
  };
}
