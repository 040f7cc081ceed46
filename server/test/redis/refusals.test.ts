// Redis is connected, but refuses some or all commands.

import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { redisBackplane } from '../../src/redis/index.ts';
import { serveHub, subscribe } from '../support/servers.ts';
import { envelopesOf, idsOf } from '../support/stream.ts';
import { linkTo, ownRedis, prefix } from './fixtures.ts';
import {
  append,
  appendUntilConfirmed,
  connectNode,
  connectTimedNode,
  expectSoon,
  openLog,
  timedBackplane,
} from './reading.ts';
import { startRedis, withRedis, type RedisServer } from './redisServer.ts';

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.kill());

type RestrictedUser = Awaited<ReturnType<typeof restrictedUser>>;

/** A user of Redis whose permissions a test changes. */
async function restrictedUser() {
  const name = `user-${randomUUID()}`;
  const set = (...rules: string[]): Promise<unknown> =>
    withRedis(redis, (admin) => admin.call('ACL', ['SETUSER', name, 'on', '>pw', '~*', ...rules]));
  /** Redis closes the connections of a deleted user, and refuses its password. */
  const drop = (): Promise<unknown> => withRedis(redis, (admin) => admin.call('ACL', ['DELUSER', name]));
  await set('+@all');
  onTestFinished(async () => void (await drop()));
  return { set, drop, url: `redis://${name}:pw@127.0.0.1:${redis.port}` };
}

describe('Redis refuses to read', () => {
  it('D-HUB-7 D-HUB-8 is unhealthy within 5 s and still delivers what is appended', async () => {
    const user = await restrictedUser();
    const keyPrefix = prefix();
    const node = connectTimedNode({ url: user.url, keyPrefix });
    const reading = await openLog(node, 'a');
    await append(node, 'a', '1');
    await reading.until(() => reading.texts().length === 1);
    await user.set('-xread');
    await expectSoon(node, () => node.status().healthy, false);
    await append(node, 'a', '2'); // No blocking read that began before is left to return it.
    await expectSoon(node, reading.texts, ['1', '2']);
    expect(reading.resets()).toHaveLength(1); // Nothing was missed, so no client has to refetch.
    await user.set('+xread');
    await expectSoon(node, () => node.status().healthy, true);
    await append(node, 'a', '3');
    await reading.until(() => reading.texts().includes('3'));
  });

  it('D-HUB-8 is unhealthy from the start, even if no audience is read', async () => {
    const user = await restrictedUser();
    await user.set('-xread');
    const lines: string[] = [];
    const options = { url: user.url, keyPrefix: prefix() };
    const node = connectTimedNode(options, (level, message) => lines.push(`${level} ${message}`));
    await append(node, 'a', '1');
    const line = 'error Redis refuses to read. The hub checks the logs at intervals instead.';
    await expectSoon(node, () => lines, [line]);
    expect(node.status().healthy).toBe(false);
  });

  it.each<[string, (user: RestrictedUser) => Promise<unknown>]>([
    ['every command', (user) => user.set('-@all')],
    ['the password of a lost connection', (user) => user.drop()],
  ])(
    'D-HUB-7 ends the streams within 5 s when Redis refuses %s, and responds 503 until it accepts them',
    async (_, refuse) => {
      const user = await restrictedUser();
      const { backplane, waitedMs } = timedBackplane({ url: user.url, keyPrefix: prefix() });
      const { hub, url } = await serveHub({ backplane, log: () => {} });
      const stream = await subscribe(url);
      await stream.atLeast(1);
      await refuse(user);
      await expectSoon({ waitedMs }, stream.isEnded, true);
      expect(hub.metrics().backplane.healthy).toBe(false);
      const refused = await fetch(`${url}/api/events`);
      expect(refused.status).toBe(503);
      await refused.body?.cancel();
      await user.set('+@all');
      await expectSoon({ waitedMs }, () => hub.metrics().backplane.healthy, true);
      const again = await subscribe(url);
      await again.atLeast(1);
      await hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
      await again.atLeast(2);
      expect(idsOf(again.frames)).toEqual([1]);
    },
  );
});

describe('Redis refuses to append', () => {
  it('D-HUB-8 is unhealthy while memory is full, logs one error, and becomes healthy again without an emit', async () => {
    const own = await ownRedis();
    const lines: string[] = [];
    const node = connectTimedNode({ url: own.url }, (level, message) => lines.push(`${level} ${message}`));
    await append(node, 'a', '1');
    const setMemory = (bytes: string): Promise<unknown> =>
      withRedis(own, (admin) => admin.config('SET', 'maxmemory', bytes));
    await setMemory('1');
    for (const _ of [1, 2]) await expect(append(node, 'a', '2')).rejects.toThrow(/not confirmed.*OOM/);
    expect(node.status().healthy).toBe(false);
    expect(lines).toEqual(['error Redis refuses to append. Emits are rejected.']);
    await setMemory('0');
    await expectSoon(node, () => node.status().healthy, true);
  });

  it('D-HUB-8 notices full memory even if nothing is emitted', async () => {
    const own = await ownRedis('--maxmemory', '1');
    const lines: string[] = [];
    const node = connectTimedNode({ url: own.url }, (level, message) => lines.push(`${level} ${message}`));
    await expectSoon(node, () => lines, ['error Redis refuses to append. Emits are rejected.']);
    expect(node.status().healthy).toBe(false);
  });
});

describe('a key that contains data of another application', () => {
  it.each([
    ['text', ['SET', 'key', 'something else']],
    ['a stream with lower ids', ['XADD', 'key', '5-1', 'field', 'value']],
    ['a stream with higher ids', ['XADD', 'key', '9007199254740991-1', 'field', 'value']],
  ])('D-HUB-7 is neither written to nor deleted: %s', async (_, command) => {
    const keyPrefix = prefix();
    const key = `${keyPrefix}a:{a}`;
    const node = connectTimedNode({ url: redis.url, keyPrefix });
    const reading = await openLog(node, 'a');
    const [well, last] = [await openLog(node, 'well'), await append(node, 'a', '1')];
    await reading.until(() => reading.position() === last);
    const [name = '', ...args] = command.map((word) => (word === 'key' ? key : word));
    const dump = await withRedis(redis, async (admin) => {
      await admin
        .multi([
          ['del', key],
          [name.toLowerCase(), ...args],
        ])
        .exec();
      return admin.dumpBuffer(key);
    });
    // The clients of this audience are notified that they may have missed something.
    await reading.until(() => reading.resets().length === 2);
    expect(reading.position()).toBeGreaterThan(last);
    expect(node.status().healthy).toBe(false);
    const names = `the key ${key} contains data of another application. Use another keyPrefix.`;
    await expect(append(node, 'a', '2')).rejects.toThrow(names);
    await expect(node.position('a')).rejects.toThrow(names);
    await append(node, 'well', '1');
    await well.until(() => well.texts().length === 1);
    await withRedis(redis, async (admin) => {
      expect(await admin.dumpBuffer(key)).toEqual(dump);
      expect(await admin.pttl(key)).toBe(-1);
      await admin.del(key);
    });
    await reading.until(() => reading.resets().length === 3);
    const position = reading.position();
    expect(await append(node, 'a', '3')).toBe(position + 1);
    await expectSoon(node, () => node.status().healthy, true);
  });

  it('D-HUB-7 makes the hub send a position to the clients of its audience', async () => {
    const keyPrefix = prefix();
    const { hub, url } = await serveHub({
      backplane: redisBackplane({ url: redis.url, keyPrefix }),
      log: () => {},
    });
    const stream = await subscribe(url);
    const [greeting] = envelopesOf(await stream.atLeast(1));
    await withRedis(redis, (admin) => admin.set(`${keyPrefix}a:{global}`, 'something else'));
    await stream.atLeast(2);
    expect(envelopesOf(stream.frames)[1]).toMatchObject({ directives: [] });
    expect(envelopesOf(stream.frames)[1]?.seq).toBeGreaterThan(greeting?.seq ?? Infinity);
    expect(hub.metrics().backplane.healthy).toBe(false);
  });
});

describe('secrets', () => {
  it('D-HUB-8 are in no log line and in no error: passwords and payloads', async () => {
    const own = await ownRedis('--requirepass', 'right');
    const link = await linkTo(own.port);
    const seen: unknown[] = [];
    const log = (...line: unknown[]): void => void seen.push(line);
    const payload = 'the payload';
    const timeoutMs = 300;
    const wrong = connectNode({ url: `redis://:the-password@127.0.0.1:${own.port}`, timeoutMs }, {}, log);
    // An attempt that takes longer than `timeoutMs` fails before Redis has refused the password.
    await expect
      .poll(async () => {
        const error: unknown = await append(wrong, 'a', payload).catch((reason: unknown) => reason);
        seen.push(error);
        return String(error);
      })
      .toContain('WRONGPASS');

    const node = connectNode({ url: `redis://:right@127.0.0.1:${link.port}`, timeoutMs }, {}, log);
    await appendUntilConfirmed(node, 'a', '1');
    const admin = (...command: [string, ...string[]]): Promise<unknown> =>
      withRedis({ ...own, url: `redis://:right@127.0.0.1:${own.port}` }, (client) => client.call(...command));
    const faults: (() => unknown)[] = [
      () => link.stall(true),
      () => link.cut(),
      () => admin('CONFIG', 'SET', 'maxmemory', '1'),
      () => admin('ACL', 'SETUSER', 'default', '-evalsha'),
    ];
    for (const begin of faults) {
      const appended = append(node, 'a', payload).catch((error: unknown) => seen.push(error));
      await begin();
      await appended;
      await append(node, 'a', payload).catch((error: unknown) => seen.push(error));
      link.stall(false);
    }
    const text = inspect(seen, { depth: Infinity, showHidden: true });
    expect(text).toContain('not confirmed');
    expect(text).not.toContain('the-password');
    expect(text).not.toContain(payload);
  });
});
