// Clients that come and go: what is left of them.

import { setTimeout as wait } from 'node:timers/promises';
import { withPair } from './pair.ts';

export interface Leak {
  readonly left: number;
  readonly bytesEach: number;
}

export const comesAndGoes = 2000;
/** What the heap differs by from run to run, for each that came and went. */
export const leakToleranceBytes = 100;

export async function leaks(key: string): Promise<Leak> {
  return withPair(key, async ({ port, clients, memory, connections }) => {
    const comeAndGo = async (): Promise<void> => {
      await clients({ do: 'connect', port, count: comesAndGoes / 4 });
      await clients({ do: 'disconnect' });
    };
    // What grows once and stays, such as tables, is there after the first.
    await comeAndGo();
    await comeAndGo();
    await wait(300);
    const before = await memory();
    for (let i = 0; i < 4; i++) await comeAndGo();
    await wait(500);
    const after = await memory();
    return {
      left: await connections(),
      bytesEach: Math.max(0, after.heap - before.heap) / comesAndGoes,
    };
  });
}
