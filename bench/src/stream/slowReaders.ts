// Some clients stop reading while the server emits many bytes.

import { setTimeout as wait } from 'node:timers/promises';
import { withPair } from './pair.ts';

export interface Slow {
  readonly growth: number;
  readonly healthy: string;
  readonly recovers: string;
}

export const slow = { clients: 15, stalled: 5, offered: 200_000_000, bytes: 20_000 };

export async function slowReaders(key: string): Promise<Slow> {
  return withPair(key, async ({ port, clients, emit, memory, allReceived, received }) => {
    const { clients: count, stalled, offered, bytes } = slow;
    await clients({ do: 'connect', port, count });
    await emit({ turns: 20, burst: 1, pauseMs: 1, bytes });
    await allReceived(20 * count);
    const before = await memory();
    await clients({ do: 'stall', count: stalled });
    await clients({ do: 'forget' });
    const turns = Math.round(offered / count / bytes);
    await emit({ turns, burst: 1, pauseMs: 2, bytes });
    const wanted = turns * (count - stalled);
    const healthy = await allReceived(wanted);
    const after = await memory();
    await clients({ do: 'resume' });
    await wait(500);
    await emit({ turns: 3, burst: 1, pauseMs: 20, bytes });
    await wait(500);
    const end = await received();
    const isRecovered = end.lowestSeq === end.highestSeq && end.open === count;
    return {
      growth: after.all - before.all,
      healthy: healthy.messages >= wanted ? 'all' : `${healthy.messages} of ${wanted}`,
      recovers: isRecovered ? 'yes' : 'no',
    };
  });
}
