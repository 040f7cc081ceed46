// CPU, delay, heap and longest turn of servers that stand side by side and take turns.

import { median } from '../report/tables.ts';
import type { Emitting, Received } from './orders.ts';
import { openPair, type Pair } from './pair.ts';

/** What a server cost, over the rounds; the middle round of each, unless it says more. */
export interface Load {
  /** Microseconds on a core a delivery: one message at a time; and fifty in one turn of the loop. */
  readonly single: number;
  readonly backlog: number;
  /** The same of each round. */
  readonly singles: readonly number[];
  readonly backlogs: readonly number[];
  readonly p50: number;
  readonly p99: number;
  /** The longest turn of all rounds, milliseconds: of single messages, and of fifty in one turn. */
  readonly heldMs: number;
  readonly heldBacklogMs: number;
  /** Bytes a connection. */
  readonly heap: number;
  readonly rss: number;
  /** What did not arrive. */
  readonly fault: string | null;
}

export const bodyBytes = 100;
export const burst = 50;
/** Deliveries of a measured round, so that small and large ones take alike long. */
const deliveries = 10_000;
const burstDeliveries = 50_000;
const fewestTurns = 2;
/** The same number for every server. */
const rounds = 7;
/** After so many a processor's profile shows no more compiling. */
const warmBursts = 400;
const watchedRounds = 3;
const watchedTurns = 4;

/** The libraries need minutes for a backlog to more clients, so only the hub and the servers by hand are measured with more. */
export const mostOfLibraries = 1000;

/** Measures these servers with so many clients each. A server that fails is named with its fault. */
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
      // There and back again: who comes first has no advantage.
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

/** A server that is ready, and what it has shown so far. */
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

  /** Lets the server emit, and waits until every client has everything. */
  async function through<T>({ turns, burst: each }: Emitting, run: () => Promise<T>): Promise<[T, Received]> {
    const wanted = turns * each * count;
    await clients({ do: 'forget' });
    const value = await run();
    const received = await pair.allReceived(wanted);
    if (received.messages !== wanted) faults.add(`${received.messages} of ${wanted} arrived`);
    return [value, received];
  }

  /** Microseconds on a core a delivery; what a server does only once its clients have read counts too. */
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
    // Lets a fan-out end before the next begins, on a machine half as fast too.
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
  // A server that has run for a while: neither code that runs for the first time nor its compiling is measured.
  await pair.emit({ ...single, turns: 400, pauseMs: 1 });
  await pair.emit({ ...backlog, turns: warmBursts, pauseMs: 1 });
  const before = await pair.memory();
  await clients({ do: 'connect', port, count: count - 10 });
  const after = await pair.memory();
  await pair.emit({ ...single, turns: 4 });
  await pair.emit({ ...backlog, turns: count > 1000 ? 1 : 2 });
  await pair.allReceived(Number.POSITIVE_INFINITY); // Until nothing more comes.

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
      // Who watches is never at rest: a pause.
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
