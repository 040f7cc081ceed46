// Redis has lost data.

import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { BackplaneLink } from '../../src/log/backplane.ts';
import { redisBackplane } from '../../src/redis/index.ts';
import { createProxy } from '../chaos/proxy.ts';
import { envelopesOf } from '../support/stream.ts';
import { serveHub, subscribe } from '../support/servers.ts';
import { limitMs, linkTo, ownRedis, prefix } from './fixtures.ts';
import { append, appendUntilConfirmed, connectNode, connectTimedNode, openLog } from './reading.ts';
import { startRedis, withRedis, type RedisServer } from './redisServer.ts';

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.kill());

describe('when Redis has lost data', () => {
  it('D-HUB-7 starts above every known number and resets every reader within 5 s without an append', async () => {
    const own = await ownRedis();
    const nodes = [connectTimedNode({ url: own.url }), connectTimedNode({ url: own.url })] as const;
    const readings = await Promise.all(nodes.map((node) => openLog(node, 'a')));
    const last = await append(nodes[0], 'a', '1');
    await Promise.all(readings.map(({ until, position }) => until(() => position() === last)));

    await own.kill();
    await own.start();
    const before = nodes.map(({ waitedMs }) => waitedMs());
    await Promise.all(readings.map(({ until, resets }) => until(() => resets().length === 2)));
    for (const [index, { waitedMs }] of nodes.entries())
      expect(waitedMs() - (before[index] ?? 0)).toBeLessThan(limitMs);
    for (const { resets } of readings) {
      expect(resets()[1]).toMatchObject({ entries: [], emitted: true });
      expect(resets()[1]?.position).toBeGreaterThan(last);
      expect(resets()[1]?.position).toBe(readings[0]?.position());
    }
    const next = await append(nodes[1], 'a', '2');
    expect(next).toBe((readings[0]?.resets()[1]?.position ?? 0) + 1);
    await Promise.all(readings.map(({ until, position }) => until(() => position() === next)));
  });

  it('D-HUB-7 notices a flush on a connection that never broke', async () => {
    const own = await ownRedis();
    const node = connectTimedNode({ url: own.url });
    const reading = await openLog(node, 'a');
    const before = reading.position();
    await withRedis(own, (admin) => admin.flushall());
    const waitedBefore = node.waitedMs();
    await reading.until(() => reading.resets().length === 2);
    expect(node.waitedMs() - waitedBefore).toBeLessThan(limitMs);
    expect(reading.position()).toBeGreaterThan(before);
  });

  it('D-HUB-7 starts above every known number when the clock of the node was set back', async () => {
    const own = await ownRedis();
    const keyPrefix = prefix();
    const node = connectNode({ url: own.url, keyPrefix });
    const future = (Date.now() + 3_600_000) * 1000;
    await withRedis(own, (admin) =>
      admin.xadd(`${keyPrefix}a:{a}`, `${future}-1`, 'p', '0', 'b', '0', 'new', '1'),
    );
    const last = await append(node, 'a', '1');
    expect(last).toBe(future + 1);
    const position = future + 1_000_000;
    await withRedis(own, (admin) =>
      admin.xadd(`${keyPrefix}a:{b}`, `${position}-1`, 'p', '0', 'b', '0', 'new', '1'),
    );
    expect(await node.position('b')).toBe(position);
    await withRedis(own, (admin) => admin.flushall());
    expect(await node.position('b')).toBeGreaterThan(position);
    expect(await append(node, 'a', '2')).toBeGreaterThan(last);
  });

  it('D-HUB-7 resets a reader when a lagging replica was promoted', async () => {
    const keyPrefix = prefix();
    const node = connectNode({ url: redis.url, keyPrefix });
    const reading = await openLog(node, 'a');
    const numbers = [
      await append(node, 'a', '1'),
      await append(node, 'a', '2'),
      await append(node, 'a', '3'),
    ];
    await reading.until(() => reading.position() === numbers[2]);
    await withRedis(redis, async (admin) => {
      const key = `${keyPrefix}a:{a}`;
      const [first] = await admin.xrange(key, '-', '+', 'COUNT', 2).then((entries) => entries.slice(1));
      await admin
        .multi()
        .del(key)
        .xadd(key, first?.[0] ?? '', ...(first?.[1] ?? []))
        .exec();
    });
    await reading.until(() => reading.resets().length === 2);
    expect(reading.position()).toBeGreaterThan(numbers[2] ?? Infinity);
  });

  it('D-HUB-7 appends to the new master when its own master becomes a replica on an open connection', async () => {
    const [old, next] = [await ownRedis(), await ownRedis()];
    const keyPrefix = prefix();
    let master = old.port;
    const link = await createProxy(() => master);
    onTestFinished(() => link.close());
    const node = connectNode({ url: `redis://127.0.0.1:${link.port}`, keyPrefix });
    const first = await append(node, 'a', '1');
    master = next.port;
    await withRedis(old, (admin) => admin.replicaof('127.0.0.1', next.port));
    expect(await appendUntilConfirmed(node, 'a', '2')).toBeGreaterThan(first);
    expect(await withRedis(next, (admin) => admin.exists(`${keyPrefix}a:{a}`))).toBe(1);
  });

  /** Imitates a promoted replica: after the first two entries, its entries differ from those of its master, and it has one more. */
  const continueOtherwise = (keyPrefix: string, last: number): Promise<unknown> =>
    withRedis(redis, async (admin) => {
      const key = `${keyPrefix}a:{a}`;
      const kept = (await admin.xrange(key, '-', '+')).slice(0, 2);
      const micros = Number(kept[1]?.[0].split('-')[1]);
      const other = (seq: number, previous: number): [string, ...string[]] => [
        `${seq}-${micros + seq - last + 10}`,
        'p',
        String(previous),
        'b',
        '9',
        'd',
        `other ${seq}`,
      ];
      let multi = admin.multi().del(key);
      for (const [id, fields] of kept) multi = multi.xadd(key, id, ...fields);
      await multi
        .xadd(key, ...other(last, micros))
        .xadd(key, ...other(last + 1, micros + 10))
        .exec();
    });

  /** Opens a reader of this node, and a reader behind a link that is cut before the last entry. */
  async function apart(keyPrefix: string, node: BackplaneLink) {
    const link = await linkTo(redis.port);
    const near = await openLog(node, 'a');
    const far = await openLog(connectNode({ url: link.url, keyPrefix }), 'a');
    await append(node, 'a', '1');
    await far.until(() => far.texts().length === 1);
    link.refuse(true);
    link.cut();
    const last = await append(node, 'a', 'only the old master has this');
    await near.until(() => near.position() === last);
    return { link, near, far, last };
  }

  it('D-HUB-7 resets every reader when the same numbers continue another history', async () => {
    const keyPrefix = prefix();
    const future = (Date.now() + 3_600_000) * 1000; // The clock of another node was ahead.
    await withRedis(redis, (admin) =>
      admin.xadd(`${keyPrefix}a:{a}`, `${future}-1`, 'p', '0', 'b', '0', 'new', '1'),
    );
    const node = connectNode({ url: redis.url, keyPrefix });
    const { link, near, far, last } = await apart(keyPrefix, node);
    await continueOtherwise(keyPrefix, last);
    link.refuse(false);
    for (const reading of [near, far]) {
      await reading.until(() => reading.position() > last + 1 && reading.resets().length > 1);
      expect(reading.resets().at(-1)?.emitted).toBe(true); // A new subscriber must not count as up to date.
    }
  });

  it('D-HUB-7 resets every reader when the node that noticed could not create the log again immediately', async () => {
    const keyPrefix = prefix();
    const commands = await linkTo(redis.port);
    const ports = [commands.port, redis.port]; // The reading connection does not use the link.
    const client = {
      options: {},
      call: () => Promise.reject(new Error('The client itself is not used.')),
      duplicate: (override: object) => new Redis({ ...override, port: ports.shift() ?? commands.port }),
    };
    let fail = (): void => undefined;
    const hasFailed = new Promise<void>((done) => (fail = done));
    const node = connectNode({ client, keyPrefix, timeoutMs: 300 }, {}, (_level, message) => {
      if (message === 'The log of audience "a" could not be read. The next check tries again.') fail();
    });
    const { link, near, far, last } = await apart(keyPrefix, node);
    commands.refuse(true);
    commands.cut();
    await continueOtherwise(keyPrefix, last);
    await hasFailed;
    commands.refuse(false);
    await near.until(() => near.resets().length > 1);
    link.refuse(false);
    await far.until(() => far.resets().length > 1);
    expect(far.position()).toBeGreaterThan(last);
  });

  it.each([
    ['later', 1_000_000],
    ['earlier', 0],
  ])('D-HUB-7 resets a reader when another history has reached the same number, %s', async (_, laterBy) => {
    const keyPrefix = prefix();
    const key = `${keyPrefix}a:{a}`;
    const node = connectNode({ url: redis.url, keyPrefix });
    const reading = await openLog(node, 'a');
    await append(node, 'a', '1');
    const last = await append(node, 'a', 'only the old master has this');
    await reading.until(() => reading.position() === last);
    await withRedis(redis, async (admin) => {
      const kept = (await admin.xrange(key, '-', '+')).slice(0, 2);
      const micros = Number(kept[1]?.[0].split('-')[1]);
      let multi = admin.multi().del(key);
      for (const [id, fields] of kept) multi = multi.xadd(key, id, ...fields);
      const id = `${last}-${micros + laterBy}`;
      await multi.xadd(key, id, 'p', String(micros), 'b', '2', 'd', 'other').exec();
    });
    await reading.until(() => reading.resets().length === 2);
    expect(reading.position()).toBeGreaterThan(last);
  });

  it('D-HUB-7 resets every reader when a node still appended to the old server after another node had moved to an empty one', async () => {
    const [old, empty] = [await ownRedis(), await ownRedis()];
    const ports = [old.port, old.port];
    const links = await Promise.all(ports.map((_, index) => linkTo(() => ports[index] ?? 0)));
    const [first, second] = links.map(({ url }) => connectNode({ url })) as [BackplaneLink, BackplaneLink];
    const [moved, late] = [await openLog(first, 'a'), await openLog(second, 'a')];
    const move = (index: number): void => {
      ports[index] = empty.port;
      links[index]?.cut();
    };
    move(0);
    await moved.until(() => moved.resets().length === 2);
    const last = await append(second, 'a', 'only the old server has this');
    await late.until(() => late.position() === last);
    move(1);
    await moved.until(() => moved.resets().length === 3);
    await late.until(() => late.position() === moved.position());
  });

  it('D-HUB-7 resets a reader when a confirmed entry is lost before it was read', async () => {
    const keyPrefix = prefix();
    const link = await linkTo(redis.port);
    const ports = [redis.port, link.port]; // Only the reading connection uses the link.
    const client = {
      options: {},
      call: () => Promise.reject(new Error('The client itself is not used.')),
      duplicate: (override: object) => new Redis({ ...override, port: ports.shift() ?? link.port }),
    };
    const node = connectNode({ client, keyPrefix });
    const reading = await openLog(node, 'a');
    await append(node, 'a', '1');
    await reading.until(() => reading.texts().length === 1);
    link.refuse(true);
    link.cut();
    const last = await withRedis(redis, async (admin) => {
      const replica = await admin.dumpBuffer(`${keyPrefix}a:{a}`);
      const number = await append(node, 'a', 'only the old master has this');
      await admin.restore(`${keyPrefix}a:{a}`, 0, replica, 'REPLACE');
      return number;
    });
    link.refuse(false);
    await reading.until(() => reading.resets().length === 2);
    expect(reading.position()).toBeGreaterThan(last);
  });

  it('D-HUB-3 D-HUB-7 notifies connected clients, and does not recover a client that reconnects', async () => {
    const own = await ownRedis();
    const { hub, url } = await serveHub({ backplane: redisBackplane({ url: own.url }) });
    const stream = await subscribe(url);
    await stream.atLeast(1);
    const [directive] = await hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
    const seq = directive?.seq ?? Number.NaN;
    await stream.until(({ envelope }) => envelope?.seq === seq);
    await own.kill();
    await own.start();
    const told = await stream.until(({ envelope }) => (envelope?.seq ?? 0) > seq);
    expect(told.envelope).toMatchObject({ directives: [] });
    const back = await subscribe(url, `?last_seq=${seq}`);
    expect(envelopesOf(await back.atLeast(1))[0]).toMatchObject({
      recovered: false,
      seq: told.envelope?.seq,
    });
  });

  it('D-HUB-7 delivers directives that were emitted right after the loss, behind the new position', async () => {
    const keyPrefix = prefix();
    const node = (): ReturnType<typeof serveHub> =>
      serveHub({ backplane: redisBackplane({ url: redis.url, keyPrefix }) });
    const [here, there] = await Promise.all([node(), node()]);
    const streams = await Promise.all([here, there].map(({ url }) => subscribe(url)));
    await here.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
    for (const stream of streams) await stream.atLeast(2);
    await withRedis(redis, (admin) => admin.del(`${keyPrefix}a:{global}`));
    const [reload] = await there.hub.emit([{ op: 'force_reload_page' }]);
    for (const stream of streams) {
      await stream.until(({ envelope }) => envelope?.seq === reload?.seq);
      expect(envelopesOf(stream.frames).slice(2)).toMatchObject([
        { seq: (reload?.seq ?? 0) - 1, directives: [] },
        { seq: reload?.seq, directives: [{ op: 'force_reload_page' }] },
      ]);
    }
  });
});
