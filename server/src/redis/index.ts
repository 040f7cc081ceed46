// @edict/server/redis: several hubs as one.

export { redisBackplane } from './redisBackplane.ts';
export type { RedisBackplaneOptions, RedisClient } from './options.ts';
export type { RedisConnection } from './line.ts';
