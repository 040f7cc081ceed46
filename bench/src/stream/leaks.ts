// Measures the connections and the heap that remain after clients have connected and disconnected.

import { setTimeout as wait } from 'node:timers/promises';
import { withPair } from './pair.ts';

export interface Leak {
  readonly left: number;
  readonly bytesEach: number;
}

/** The number of clients that connect and disconnect. With few clients, what a process allocates once would look like a leak. */
export const comesAndGoes = 10_000;
const atATime = 500;
/** The normal difference of the heap between two runs, in bytes for each client that connected and disconnected. */
export const leakToleranceBytes = 100;

export async function leaks(key: string): Promise<Leak> {
  return withPair(key, async ({ port, clients, memory, connections }) => {
    const comeAndGo = async (): Promise<void> => {
      await clients({ do: 'connect', port, count: atATime });
      await clients({ do: 'disconnect' });
    };
    // Memory that grows once and stays, such as tables, is allocated before the measurement.
    await comeAndGo();
    await comeAndGo();
    await wait(300);
    const before = await memory();
    for (let i = 0; i < comesAndGoes; i += atATime) await comeAndGo();
    await wait(500);
    const after = await memory();
    return {
      left: await connections(),
      bytesEach: Math.max(0, after.heap - before.heap) / comesAndGoes,
    };
  });
}
