/**
 * Several hubs as one, over Redis Streams. Needs the package `ioredis`.
 *
 * @module @edict/server/redis
 */

export { redisBackplane } from './redisBackplane.ts';
export type { RedisBackplaneOptions, RedisClient } from './options.ts';
export type { RedisConnection } from './reconnectingClient.ts';
