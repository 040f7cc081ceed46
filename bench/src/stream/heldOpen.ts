// Keeps many connections open for minutes. The server only sends heartbeats.

import { setTimeout as wait } from 'node:timers/promises';
import { withPair } from './pair.ts';

export interface HeldOpen {
  readonly connections: number;
  readonly minutes: number;
  /** The connections that the clients count as open at the end. */
  readonly open: number;
  /** The connections that the hub counts at the end. */
  readonly served: number;
  /** The heartbeats that all connections received. */
  readonly beats: number;
  /** The heartbeats on the connection that received the fewest. */
  readonly fewestBeats: number;
  /** The number of connections that received a message emitted at the end. */
  readonly reached: number;
  readonly heapBefore: number;
  readonly heapAfter: number;
  readonly rssGrowth: number;
  readonly cpuShare: number;
}

const connections = 10_000;
const minutes = 5;

export async function heldOpen(): Promise<HeldOpen> {
  return withPair('edict', async (pair) => {
    await pair.clients({ do: 'connect', port: pair.port, count: connections });
    const before = await pair.memory();
    await pair.clients({ do: 'forget' });
    const began = performance.now();
    const cpuBefore = await pair.cpu();
    await wait(minutes * 60_000);
    const cpu = (await pair.cpu()) - cpuBefore;
    const elapsed = performance.now() - began;
    const after = await pair.memory();
    const { beats, fewestBeats } = await pair.received();
    await pair.emit({ turns: 1, burst: 1, pauseMs: null, bytes: 100 });
    const { messages, open } = await pair.allReceived(connections);
    return {
      connections,
      minutes,
      open,
      served: await pair.connections(),
      beats,
      fewestBeats,
      reached: messages,
      heapBefore: before.heap,
      heapAfter: after.heap,
      rssGrowth: after.rss - before.rss,
      cpuShare: cpu / 1000 / elapsed,
    };
  });
}
