// Measures the CPU time of a server while thousands of clients connect, as after a release. Elapsed time would include other processes.

import { openPair, type Pair } from './pair.ts';

/** The CPU time for each connection, user and system, in microseconds. There is one value per round. */
export interface Connecting {
  /** In a new process, which compiles its code during the round. */
  readonly cold: number[];
  /** In a process that has served as many clients before, and still serves one of them. */
  readonly warm: number[];
}

export const connectingClients = 5000;
/** Each of these rounds starts new processes. */
const rounds = 3;
const warmRounds = 3;
/** The number of clients after which the servers take turns, so that a slow phase of the machine affects all of them. */
const turn = 250;

/** Measures the servers while all of them run at the same time. */
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
  // One client stays connected. Without clients, a server frees the objects that they share, and V8 drops the code compiled for them. The next
  // round would then measure the compiler, although a server in use always has clients.
  for (const pair of pairs.values()) await pair.clients({ do: 'disconnect', keep: 1 });
  return costs;
}
