// The CPU that a server uses while thousands of clients connect at once, as after a release. Elapsed time would include other processes.

import { openPair, type Pair } from './pair.ts';

/** Microseconds of CPU a connection, user and system, of each round. */
export interface Connecting {
  /** In a process that has just started and compiles its code meanwhile. */
  readonly cold: number[];
  /** In a process that has had as many clients before and still has one. */
  readonly warm: number[];
}

export const connectingClients = 5000;
/** Each with processes of their own. */
const rounds = 3;
const warmRounds = 3;
/** The servers take turns after so many, so that a machine that is slow for a while is slow for all of them. */
const turn = 250;

/** Measures these servers beside each other. */
export async function connecting(keys: readonly string[]): Promise<Record<string, Connecting>> {
  const measured = Object.fromEntries(keys.map((key): [string, Connecting] => [key, { cold: [], warm: [] }]));
  for (let round = 0; round < rounds; round++) {
    const pairs = new Map<string, Pair>();
    try {
      for (const key of keys) pairs.set(key, await openPair(key));
      for (let fill = 0; fill <= warmRounds; fill++) {
        const costs = await connectAll(pairs);
        for (const [key, micros] of costs) measured[key]?.[fill === 0 ? 'cold' : 'warm'].push(micros);
      }
    } finally {
      for (const pair of pairs.values()) pair.close();
    }
  }
  return measured;
}

async function connectAll(pairs: ReadonlyMap<string, Pair>): Promise<Map<string, number>> {
  for (const pair of pairs.values()) await pair.memory(); // Collects garbage.
  const costs = new Map<string, number>();
  for (let connected = 0; connected < connectingClients; connected += turn) {
    // The order alternates, so that no server is always the first.
    const order = (connected / turn) % 2 === 0 ? [...pairs] : [...pairs].toReversed();
    for (const [key, pair] of order) {
      const before = await pair.cpu();
      await pair.clients({ do: 'connect', port: pair.port, count: turn });
      const micros = (await pair.cpu()) - before;
      costs.set(key, (costs.get(key) ?? 0) + micros / connectingClients);
    }
  }
  // One client stays. A server without any frees what its clients share, and V8 drops the code that it had compiled for it. Each round
  // would then measure the compiler, and a server in use is never empty.
  for (const pair of pairs.values()) await pair.clients({ do: 'disconnect', keep: 1 });
  return costs;
}
