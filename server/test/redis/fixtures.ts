// Fixtures for the tests of the Redis backplane.

import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { createProxy, type Proxy } from '../chaos/proxy.ts';
import { startRedis, type RedisServer } from './redisServer.ts';

/** Starts a Redis for one test alone, which the test may kill or stop. */
export async function ownRedis(...options: string[]): Promise<RedisServer> {
  const own = await startRedis(undefined, options);
  onTestFinished(() => own.kill());
  return own;
}

/** A link to a server that a test can cut, stall, or refuse. A function returns the port of each new connection. */
export async function linkTo(port: number | (() => number)): Promise<Proxy & { url: string }> {
  const proxy = await createProxy(port);
  onTestFinished(() => proxy.close());
  return { ...proxy, url: `redis://127.0.0.1:${proxy.port}` };
}

/** A prefix that no other test uses. */
export const prefix = (): string => `${randomUUID()}:`;

/** The waits until a loss or a refusal is noticed must be shorter than this. */
export const limitMs = 5000;
