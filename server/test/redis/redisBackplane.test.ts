import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BackplaneLink } from '../../src/log/backplane.ts';
import { platformEnv } from '../../src/env.ts';
import { redisBackplane, type RedisConnection } from '../../src/redis/index.ts';
import { backplaneContract, contractLimits } from '../log/backplane.contract.ts';
import { createWorld } from '../support/world.ts';
import { startRedis, type RedisServer } from './redisServer.ts';

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.kill());

backplaneContract('the Redis backplane', async () => {
  const keyPrefix = `${randomUUID()}:`;
  const links: BackplaneLink[] = [];
  return {
    connect(replay) {
      const backplane = redisBackplane({ url: redis.url, keyPrefix });
      const link = backplane.connect({ env: platformEnv(), replay: { ...contractLimits, ...replay } });
      links.push(link);
      return link;
    },
    async close() {
      await Promise.all(links.map((link) => link.close()));
    },
  };
});

it('gives a list the deadline of its caller by the clock of Redis, and leaves no timer when it is closed', async () => {
  const deadlines: unknown[] = [];
  const connection: RedisConnection = {
    connect: async () => {},
    disconnect: () => {},
    on: () => {},
    call: async (command, args) => {
      if (command === 'TIME') return ['1600000000', '0'];
      if (command === 'XREAD') return new Promise(() => {});
      if (command !== 'EVALSHA' || args.length < 12) return [];
      deadlines.push(args[9]);
      return [1, 1];
    },
  };
  const world = createWorld();
  const client = { options: {}, call: connection.call, duplicate: () => connection };
  const link = redisBackplane({ client }).connect({ env: world, replay: contractLimits });
  const appended = link.append([{ audience: 'a', payload: '1' }]);
  await world.drain();
  await appended;
  // The estimate is 1 ms less, so that no list is stored after its caller has given up.
  expect(deadlines).toContain(1_600_000_001_999_000);
  await link.close();
  await world.advance(10_000);
  expect(world.timers()).toBe(0);
});
