// Two hubs on one Redis. Each emits half of the lists and delivers all of them to one client.

import { setTimeout as wait } from 'node:timers/promises';
import { startRedis, withRedis, type RedisServer } from '../../../server/test/redis/redisServer.ts';
import { stamp } from './feed.ts';
import { openPair } from './pair.ts';

/** The results of a run, with one value per round. */
export interface OverRedis {
  /** Lists per second, from the first emit until both clients have received all lists. */
  readonly rates: number[];
  /** The age of a list when a client received it: the 99th percentile, in milliseconds. */
  readonly p99s: number[];
  /** The CPU time of a hub for each list, in microseconds. Both hubs process each list, and one of them emits it. */
  readonly micros: number[];
  /** The CPU time of Redis for each list, in microseconds. */
  readonly redisMicros: number[];
}

/** The target, in lists per second. */
export const wantedRate = 20_000;
/** The lists per second that both hubs emit together. The rate is a little higher, because the last lists arrive after the last emit. */
const offeredRate = 20_500;
const seconds = 4;
const rounds = 3;
const bytes = 100;

async function cpuOf(redis: RedisServer): Promise<number> {
  const info = await withRedis(redis, (admin) => admin.info('cpu'));
  const seconds = (name: string): number => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1]);
  return (seconds('used_cpu_user') + seconds('used_cpu_sys')) * 1e6;
}

export async function overRedis(): Promise<OverRedis> {
  const redis = await startRedis();
  process.env['BENCH_REDIS'] = redis.url; // The server processes read it.
  const pairs = [await openPair('redis'), await openPair('redis')];
  try {
    for (const { clients, port } of pairs) await clients({ do: 'connect', port, count: 1 });
    const measured: OverRedis = { rates: [], p99s: [], micros: [], redisMicros: [] };
    const sum = async (read: (pair: (typeof pairs)[number]) => Promise<number>): Promise<number> =>
      (await Promise.all(pairs.map(read))).reduce((total, each) => total + each, 0);
    const run = async (rate: number): Promise<void> => {
      const lists = rate * seconds;
      for (const { clients } of pairs) await clients({ do: 'forget' });
      const cpu = await sum((pair) => pair.cpu());
      const redisCpu = await cpuOf(redis);
      const startedAt = stamp();
      await Promise.all(pairs.map((pair) => pair.steady({ rate: rate / 2, seconds, bytes })));
      const received = await Promise.all(pairs.map((pair) => pair.allReceived(lists)));
      const ms = Math.max(...received.map(({ lastAt }) => lastAt)) - startedAt;
      if (received.some(({ messages }) => messages !== lists))
        throw new Error(`received ${received.map(({ messages }) => messages).join(' and ')} of ${lists}`);
      measured.rates.push((lists * 1000) / ms);
      measured.p99s.push(Math.max(...received.map(({ p99 }) => p99)));
      measured.micros.push(((await sum((pair) => pair.cpu())) - cpu) / pairs.length / lists);
      measured.redisMicros.push(((await cpuOf(redis)) - redisCpu) / lists);
    };
    await run(offeredRate / 10); // A warm-up.
    for (const values of Object.values(measured)) values.length = 0;
    for (let round = 0; round < rounds; round++) {
      await wait(500);
      await run(offeredRate);
    }
    return measured;
  } finally {
    for (const pair of pairs) pair.close();
    await redis.kill();
  }
}
