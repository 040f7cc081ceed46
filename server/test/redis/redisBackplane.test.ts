import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import type { BackplaneLink } from '../../src/log/backplane.ts';
import { platformEnv } from '../../src/env.ts';
import { redisBackplane } from '../../src/redis/index.ts';
import { backplaneContract, contractLimits } from '../log/backplane.contract.ts';
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
