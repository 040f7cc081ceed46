// The keys and connections of a node.

import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { redisBackplane, type RedisConnection } from '../../src/redis/index.ts';
import { envelopesOf, idsOf } from '../support/stream.ts';
import { hubForTest, serveHub, subscribe } from '../support/servers.ts';
import { ownRedis, prefix } from './fixtures.ts';
import { append, connectNode, openLog } from './reading.ts';
import { startRedis, withRedis, type RedisServer } from './redisServer.ts';

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.kill());

describe('names that are one in UTF-8', () => {
  it('D-HUB-1 D-HUB-2 do not mix an audience with another one that no client can name', async () => {
    const { hub, url } = await serveHub({
      backplane: redisBackplane({ url: redis.url, keyPrefix: prefix() }),
      authorize: (_request, { audience }) => audience === 'room-\ufffd',
    });
    const stream = await subscribe(url, `?audience=${encodeURIComponent('room-\ufffd')}`);
    await stream.atLeast(1);
    await hub
      .emit([{ op: 'refresh_item', name: 'secret', id: 1 }], { audience: 'room-\ud800' })
      .catch(() => {});
    await hub.emit([{ op: 'refresh_item', name: 'ticket', id: 2 }], { audience: 'room-\ufffd' });
    await stream.atLeast(2);
    expect(idsOf(stream.frames)).toEqual([2]);
  });
});

describe('the keys and connections of the Redis backplane', () => {
  it('D-HUB-7 recovers a client at any node', async () => {
    const keyPrefix = prefix();
    const here = await serveHub({ backplane: redisBackplane({ url: redis.url, keyPrefix }) });
    const there = await serveHub({ backplane: redisBackplane({ url: redis.url, keyPrefix }) });
    const stream = await subscribe(here.url);
    const [greeting] = envelopesOf(await stream.atLeast(1));
    await here.hub.close({ retryMs: [0, 0] });
    await there.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
    const again = await subscribe(there.url, `?last_seq=${greeting?.seq}`);
    const envelopes = envelopesOf(await again.atLeast(2));
    expect(envelopes.map(({ directives }) => directives.length)).toEqual([1, 0]);
    expect(envelopes[1]).toMatchObject({ recovered: true, seq: (greeting?.seq ?? 0) + 1 });
  });

  it('D-HUB-3 let the log of an audience expire after its last envelope, but not while it is read', async () => {
    const keyPrefix = prefix();
    const node = connectNode({ url: redis.url, keyPrefix }, { maxAgeMs: 60_000 });
    await append(node, 'a', '1');
    const reading = await openLog(node, 'b');
    await openLog(node, 'c');
    await node.position('d');
    await withRedis(redis, async (admin) => {
      const expectExpiry = async (): Promise<void> => {
        for (const key of await admin.keys(`${keyPrefix}*`))
          expect(await admin.pttl(key), key).toBeGreaterThan(0);
      };
      await expectExpiry(); // Before a check.
      const left = await admin.pttl(`${keyPrefix}a:{a}`);
      expect(left).toBeGreaterThan(60_000);
      expect(left).toBeLessThan(70_000);
      await admin.pexpire(`${keyPrefix}a:{b}`, 30_000);
      for (let left = 30_000; left <= 30_000;) left = await admin.pttl(`${keyPrefix}a:{b}`);
      await expectExpiry();
    });
    expect(reading.resets()).toHaveLength(1);
  });

  it('D-HUB-7 leave no key without expiry when a process ends', async () => {
    const keyPrefix = prefix();
    const client = {
      options: {},
      call: () => Promise.reject(new Error('The client itself is not used.')),
      duplicate(override: Record<string, unknown>): RedisConnection {
        const real = new Redis(redis.url, override);
        return {
          connect: () => real.connect(),
          disconnect: () => real.disconnect(),
          on: (event, listener) => real.on(event, listener),
          async call(command, args) {
            const answer = await real.call(command, args);
            return command === 'XADD' ? new Promise(() => {}) : answer;
          },
        };
      },
    };
    const node = connectNode({ client, keyPrefix, timeoutMs: 60_000 });
    await openLog(node, 'a');
    await openLog(node, 'b');
    await withRedis(redis, async (admin) => {
      let keys: string[] = [];
      while (keys.length === 0) keys = await admin.keys(`${keyPrefix}n:*`);
      expect(await admin.pttl(keys[0] ?? '')).toBeGreaterThan(0);
    });
  });

  it('D-HUB-3 keep at most the envelopes, bytes and milliseconds of the limits', async () => {
    const keyPrefix = prefix();
    const node = connectNode({ url: redis.url, keyPrefix }, { maxEnvelopes: 20, maxBytes: 1000 });
    const length = (audience: string): Promise<number> =>
      withRedis(redis, (admin) => admin.xlen(`${keyPrefix}a:{${audience}}`));
    for (let index = 0; index < 50; index += 1) await append(node, 'many', 'x');
    for (let index = 0; index < 10; index += 1) await append(node, 'large', 'x'.repeat(300));
    expect(await length('many')).toBe(20);
    expect(await length('large')).toBe(3);
    const seq = await append(node, 'huge', 'x'.repeat(1500));
    expect(await append(node, 'huge', 'x'.repeat(1500))).toBe(seq + 1);
    expect(await length('huge')).toBe(1); // The newest one.
    for (const audience of ['many', 'large', 'huge']) await openLog(node, audience); // Each appends to the log of the node.
    await withRedis(redis, async (admin) => {
      const [own = ''] = await admin.keys(`${keyPrefix}n:*`);
      expect(await admin.xlen(own)).toBe(1);
    });
    const brief = connectNode({ url: redis.url, keyPrefix }, { maxAgeMs: 1 });
    for (let index = 0; index < 10; index += 1) await append(brief, 'many', 'x');
    expect(await length('many')).toBeLessThan(20);
  });

  it('continues to read the other logs when another application writes to one', async () => {
    const keyPrefix = prefix();
    const node = connectNode({ url: redis.url, keyPrefix });
    const [strange, well] = [await openLog(node, 'strange'), await openLog(node, 'well')];
    await withRedis(redis, (admin) =>
      admin.xadd(`${keyPrefix}a:{strange}`, '9007199254740991-1', 'what', 'is this'),
    );
    await append(node, 'well', '1');
    await well.until(() => well.texts().length === 1);
    expect(strange.texts()).toEqual([]);
    await expect(openLog(connectNode({ url: redis.url, keyPrefix }), 'strange')).rejects.toThrow(/keyPrefix/);
  });

  it('continues to read the other logs when one key is overwritten, and reads that log again when the key is gone', async () => {
    const keyPrefix = prefix();
    const node = connectNode({ url: redis.url, keyPrefix });
    const [strange, well] = [await openLog(node, 'strange'), await openLog(node, 'well')];
    await withRedis(redis, (admin) => admin.set(`${keyPrefix}a:{strange}`, 'something else'));
    await append(node, 'well', '1');
    await well.until(() => well.texts().length === 1);
    await withRedis(redis, async (admin) => {
      expect(await admin.get(`${keyPrefix}a:{strange}`)).toBe('something else');
      await admin.del(`${keyPrefix}a:{strange}`);
    });
    await append(node, 'strange', '2');
    await strange.until(() => strange.texts().includes('2'));
  });

  it('D-HUB-7 continues when the scripts of Redis were flushed', async () => {
    const node = connectNode({ url: redis.url, keyPrefix: prefix() });
    const first = await append(node, 'a', '1');
    await withRedis(redis, (admin) => admin.script('FLUSH'));
    expect(await append(node, 'a', '2')).toBe(first + 1);
  });

  it('D-HUB-1 accepts a replay.maxAgeMs with a fraction, and the longest timeoutMs', async () => {
    const logged: string[] = [];
    const node = connectNode(
      { url: redis.url, keyPrefix: prefix(), timeoutMs: 2 ** 31 - 1 },
      { maxAgeMs: 1500.5 },
      (_level, message) => logged.push(message),
    );
    const reading = await openLog(node, 'a');
    for (const text of ['1', '2']) {
      await append(node, 'a', text);
      await reading.until(() => reading.texts().at(-1) === text);
    }
    expect(logged).toEqual([]);
  });

  it('rejects appends and stores nothing when Redis does not have the database of the URL', async () => {
    const own = await ownRedis();
    const node = connectNode({ url: `${own.url}/99`, timeoutMs: 300 });
    // An attempt that takes longer than `timeoutMs` fails before Redis has refused the database.
    const error = (): Promise<string> => append(node, 'a', '1').then(String, String);
    await expect.poll(error).toMatch(/not confirmed.*DB index is out of range/);
    expect(await withRedis(own, (admin) => admin.dbsize())).toBe(0);
  });

  it('D-HUB-7 publishes nothing and subscribes to nothing', async () => {
    const own = await ownRedis();
    const node = connectNode({ url: own.url });
    const reading = await openLog(node, 'a');
    await append(node, 'a', '1');
    await reading.until(() => reading.texts().length === 1);
    const stats = await withRedis(own, (admin) => admin.info('commandstats'));
    expect(stats).toMatch(/cmdstat_xread/);
    expect(stats).not.toMatch(/subscribe|publish/);
  });

  it('leaves the given client open and adds its own prefix to that of the client', async () => {
    const keyPrefix = prefix();
    const client = new Redis(redis.url, { keyPrefix });
    onTestFinished(() => client.disconnect());
    const node = connectNode({ client, keyPrefix: 'hub:' });
    const reading = await openLog(node, 'a');
    await append(node, 'a', '1');
    await reading.until(() => reading.texts().length === 1);
    await node.close();
    expect(await client.ping()).toBe('PONG');
    expect(await client.exists('hub:a:{a}')).toBe(1);
  });

  it('ends its own connections when the hub closes', async () => {
    const own = await ownRedis();
    const hub = hubForTest({ backplane: redisBackplane({ url: own.url }) });
    await hub.cursor();
    await hub.close();
    await withRedis(own, async (admin) => {
      for (let clients = 3; clients > 1;)
        clients = String(await admin.call('CLIENT', ['LIST']))
          .split('\n')
          .filter(Boolean).length;
    });
    await expect(hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }])).rejects.toThrow(/closed/);
  });

  it('throws a TypeError that names the wrong option', () => {
    const client = new Redis({ lazyConnect: true });
    const cases: [options: object, message: RegExp][] = [
      [{}, /client or url, not neither/],
      [{ client, url: redis.url }, /client or url, not both/],
      [{ url: 'http://x' }, /url must be/],
      [{ url: 5 }, /url must be/],
      [{ client: {} }, /client must be/],
      [{ url: redis.url, timeoutMs: 0 }, /timeoutMs must be/],
      [{ url: redis.url, keyPrefix: 5 }, /keyPrefix must be/],
      [{ url: redis.url, prefix: 'x' }, /prefix is not an option/],
    ];
    for (const [options, message] of cases)
      expect(() => redisBackplane(options), JSON.stringify(Object.keys(options))).toThrow(message);
  });
});
