// The order in which lists are stored.

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { redisBackplane, type RedisConnection } from '../../src/redis/index.ts';
import { platformEnv } from '../../src/env.ts';
import { contractLimits } from '../log/backplane.contract.ts';
import { idsOf } from '../support/stream.ts';
import { hubForTest, serveHub, subscribe } from '../support/servers.ts';
import { ownRedis, prefix } from './fixtures.ts';
import { append, connectNode, openLog } from './reading.ts';
import { startRedis, withRedis, type RedisServer } from './redisServer.ts';

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.kill());

describe('lists that are emitted together', () => {
  it('D-HUB-3 D-HUB-5 D-HUB-7 are all delivered in order by every node, even if they exceed the limits of the log', async () => {
    const keyPrefix = prefix();
    const nodes = await Promise.all(
      [1, 2].map(() =>
        serveHub({ backplane: redisBackplane({ url: redis.url, keyPrefix, timeoutMs: 30_000 }) }),
      ),
    );
    const streams = await Promise.all(nodes.map(({ url }) => subscribe(url)));
    await Promise.all(streams.map((stream) => stream.atLeast(1)));
    const ids = Array.from({ length: 3000 }, (_, index) => index);
    const author = (nodes[0] as (typeof nodes)[number]).hub; // There are two.
    await Promise.all(ids.map((id) => author.emit([{ op: 'refresh_item', name: 'ticket', id }])));
    for (const stream of streams) {
      await stream.atLeast(1 + ids.length);
      expect(idsOf(stream.frames)).toEqual(ids);
    }
  });

  it('D-HUB-5 are all delivered, even if they exceed a log of a few envelopes many times', async () => {
    const backplane = redisBackplane({ url: redis.url, keyPrefix: prefix(), timeoutMs: 30_000 });
    const { hub, url } = await serveHub({ backplane, replay: { maxEnvelopes: 8 } });
    const stream = await subscribe(url);
    await stream.atLeast(1);
    const ids = Array.from({ length: 300 }, (_, index) => index);
    const lists = await Promise.all(ids.map((id) => hub.emit([{ op: 'refresh_item', name: 'ticket', id }])));
    await stream.until(({ envelope }) => envelope?.seq === lists.at(-1)?.[0]?.seq);
    expect(idsOf(stream.frames)).toEqual(ids);
  });

  it('D-HUB-7 that wait are rejected with those that Redis did not confirm', async () => {
    const own = await ownRedis();
    const backplane = redisBackplane({ url: own.url, timeoutMs: 2000 });
    const hub = hubForTest({ backplane, replay: { maxEnvelopes: 40 } });
    await hub.cursor();
    own.pause();
    const errors: Error[] = [];
    const lists = Array.from(
      { length: 500 },
      (_, id) =>
        hub
          .emit([{ op: 'refresh_item', name: 'ticket', id }])
          .catch((error: unknown) => void errors.push(error as Error)), // `emit` rejects with errors only.
    );
    await Promise.all(lists.slice(0, 10)); // A quarter of the log. The other lists wait behind them.
    await new Promise((done) => setImmediate(done));
    own.resume();
    expect(errors).toHaveLength(500);
    for (const { message } of errors) expect(message).toContain('not confirmed');
  });

  it('D-HUB-7 are stored after the clock of the node was set back', async () => {
    let aheadMs = 0;
    const env = { ...platformEnv(), now: () => Date.now() + aheadMs, log: () => {} };
    const link = redisBackplane({ url: redis.url, keyPrefix: prefix() }).connect({
      env,
      replay: contractLimits,
    });
    onTestFinished(() => link.close());
    const [first] = await link.append([{ audience: 'a', payload: '1' }]);
    aheadMs = -3_600_000;
    const [second] = await link.append([{ audience: 'a', payload: '2' }]);
    expect(second?.seq).toBe((first?.seq ?? 0) + 1);
  });
});

it('D-HUB-3 lists have times that never decrease, also after the clock of Redis was set back', async () => {
  const keyPrefix = prefix();
  const future = Date.now() + 3_600_000;
  await withRedis(redis, (admin) =>
    admin.xadd(`${keyPrefix}a:{a}`, `5-${future * 1000}`, 'p', '0', 'b', '0', 'new', '1'),
  );
  const link = connectNode({ url: redis.url, keyPrefix });
  const [appended] = await link.append([{ audience: 'a', payload: '1' }]);
  expect(appended).toEqual({ seq: 6, at: future });
});

describe('lists that are emitted one after the other', () => {
  it('D-HUB-5 are stored in order when the clock of the node is set back meanwhile', async () => {
    const keyPrefix = prefix();
    let aheadMs = 0;
    const env = { ...platformEnv(), now: () => Date.now() + aheadMs, log: () => {} };
    const link = redisBackplane({ url: redis.url, keyPrefix }).connect({ env, replay: contractLimits });
    onTestFinished(() => link.close());
    const told = await openLog(link, 'a');
    await append(link, 'a', '0');
    aheadMs = -3_600_000;
    const appended: Promise<number | null>[] = [];
    for (let n = 1; n <= 40; n += 1) {
      appended.push(append(link, 'a', String(n)).catch(() => null)); // One may be rejected as not confirmed.
      await new Promise((done) => setImmediate(done));
    }
    const numbers = (await Promise.all(appended)).filter((number) => number !== null);
    expect(numbers.length).toBeGreaterThan(0);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    await told.until(() => told.position() === numbers.at(-1));
    expect(told.texts().map(Number)).toEqual(
      told
        .texts()
        .map(Number)
        .toSorted((a, b) => a - b),
    );
  });

  it('D-HUB-5 are sent in order while the connection opens', async () => {
    const orders: string[] = [];
    for (let steps = 0; steps < 30; steps += 1) {
      const sent: string[] = [];
      const opens: (() => void)[] = [];
      const connection: RedisConnection = {
        connect: () => new Promise<void>((open) => opens.push(open)),
        disconnect: () => undefined,
        on: () => undefined,
        async call(command, args) {
          if (command === 'TIME') return ['1700000000', '0'];
          const isList = command === 'EVALSHA' && args.length > 8;
          const payloads = args.slice(9 + 2 * Number(args[1])).filter((_, index) => index % 2 === 1);
          if (isList) sent.push(...payloads.map(String).filter(Boolean));
          return isList ? payloads.flatMap((_, index) => [index + 1, 1]) : 1_700_000_000_000_000;
        },
      };
      const client = { options: {}, call: connection.call, duplicate: () => connection };
      const link = redisBackplane({ client }).connect({
        env: { ...platformEnv(), log: () => {} },
        replay: contractLimits,
      });
      const one = append(link, 'a', '1');
      await new Promise((done) => setImmediate(done));
      for (const open of opens) open();
      for (let step = 0; step < steps; step += 1) await Promise.resolve();
      await Promise.all([one, append(link, 'a', '2')]);
      orders.push(sent.join());
      await link.close();
    }
    expect(new Set(orders)).toEqual(new Set(['1,2']));
  });
});
