// Revocation on two nodes that share a Redis.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { redisBackplane } from '../../src/redis/index.ts';
import type { HubOptions } from '../../src/index.ts';
import { serveHub, subscribe } from '../support/servers.ts';
import { linkTo, ownRedis, prefix } from './fixtures.ts';
import { expectSoon, timedBackplane } from './reading.ts';
import { startRedis, withRedis, type RedisServer } from './redisServer.ts';

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.kill());

/** Starts two hubs, the second one behind its own link, with a stream of Ann and a stream of Bob at the second hub. */
async function setup(replay: HubOptions['replay'] = {}) {
  const keyPrefix = prefix();
  const link = await linkTo(redis.port);
  const authorize: HubOptions['authorize'] = (request) => ({ user: request.headers['x-user'] ?? 'nobody' });
  const serve = async (url: string) => {
    const { backplane, waitedMs } = timedBackplane({ url, keyPrefix });
    return { ...(await serveHub({ backplane, authorize, replay, log: () => {} })), waitedMs };
  };
  const here = await serve(redis.url);
  const there = await serve(link.url);
  const [local, ann, bob] = await Promise.all([
    subscribe(here.url, '', { 'x-user': 'ann' }),
    subscribe(there.url, '', { 'x-user': 'ann' }),
    subscribe(there.url, '', { 'x-user': 'bob' }),
  ]);
  await Promise.all([local, ann, bob].map((stream) => stream.atLeast(1)));
  const leave = (): void => {
    link.refuse(true);
    link.cut();
  };
  return { keyPrefix, hub: here.hub, there, local, ann, bob, leave, comeBack: () => link.refuse(false) };
}

describe('disconnect', () => {
  it('D-HUB-10 ends the matching streams on every node, and resolves to the number of its own', async () => {
    const { hub, local, ann, bob } = await setup();
    expect(await hub.disconnect({ user: 'ann' })).toBe(1);
    await local.ended;
    await ann.ended;
    expect(bob.isEnded()).toBe(false);
  });

  it('D-HUB-10 is applied by a node within 5 s of its return to Redis', async () => {
    const { hub, there, ann, bob, leave, comeBack } = await setup();
    leave();
    await hub.disconnect({ user: 'ann' });
    expect(ann.isEnded()).toBe(false);
    comeBack();
    await expectSoon(there, ann.isEnded, true);
    expect(bob.isEnded()).toBe(false);
  });

  it('D-HUB-10 ends every stream of a node that missed revocations which are no longer stored', async () => {
    const { hub, ann, bob, leave, comeBack } = await setup({ maxEnvelopes: 2 });
    leave();
    await hub.disconnect({ user: 'bob' });
    for (let count = 0; count < 3; count += 1) await hub.disconnect({ user: 'another' });
    comeBack();
    await bob.ended;
    await ann.ended;
  });

  it('D-HUB-10 is appended again when Redis has lost it before another node has read it', async () => {
    const { keyPrefix, hub, ann, bob, leave, comeBack } = await setup();
    leave();
    await hub.disconnect({ user: 'ann' });
    await withRedis(redis, (admin) => admin.del(`${keyPrefix}c:{control}`));
    comeBack();
    await ann.ended;
    expect(bob.isEnded()).toBe(false);
  });

  it('D-HUB-10 rejects as not confirmed while Redis is away, after it has ended the streams of its own node', async () => {
    const own = await ownRedis();
    const { hub, url } = await serveHub({
      backplane: redisBackplane({ url: own.url, timeoutMs: 300 }),
      log: () => {},
    });
    const stream = await subscribe(url);
    await stream.atLeast(1);
    await own.kill();
    await expect(hub.disconnect({ all: true })).rejects.toThrow(/not confirmed/);
    await stream.ended;
  });
});
