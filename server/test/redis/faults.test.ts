// What a node does while Redis is away, and what it finds when Redis is back.

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { BackplaneLink } from '../../src/log/backplane.ts';
import { redisBackplane, type RedisConnection } from '../../src/redis/index.ts';
import { createProxy, type Proxy } from '../chaos/proxy.ts';
import { platformEnv } from '../../src/env.ts';
import { contractLimits } from '../log/backplane.contract.ts';
import { compileProgram } from '../support/program.ts';
import { envelopesOf, idsOf } from '../support/stream.ts';
import { hubForTest, serveHub, subscribe } from '../support/servers.ts';
import { append, appendUntilConfirmed, connectNode, openLog } from './reading.ts';
import { startRedis, withRedis, type RedisServer } from './redisServer.ts';

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.kill());

/** A Redis of one test alone, to be killed or stopped. */
async function ownRedis(): Promise<RedisServer> {
  const own = await startRedis();
  onTestFinished(() => own.kill());
  return own;
}

async function linkTo(port: number): Promise<Proxy & { url: string }> {
  const proxy = await createProxy(port);
  onTestFinished(() => proxy.close());
  return { ...proxy, url: `redis://127.0.0.1:${proxy.port}` };
}

const prefix = (): string => `${randomUUID()}:`;
const limitMs = 5000;

async function timed<T>(run: () => Promise<T>): Promise<{ result: PromiseSettledResult<T>; ms: number }> {
  const begun = performance.now();
  const [result] = await Promise.allSettled([run()]);
  return { result, ms: performance.now() - begun };
}

describe('names that are one in UTF-8', () => {
  it('D-HUB-1 D-HUB-2 tells nobody what is meant for an audience whose name no client can ask for', async () => {
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

describe('what is emitted at once', () => {
  it('D-HUB-3 D-HUB-5 D-HUB-7 is delivered whole and in order by every node, though it is more than the log keeps', async () => {
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

  it('D-HUB-7 is rejected within one timeoutMs, also what waited, while Redis is away', async () => {
    const own = await ownRedis();
    const backplane = redisBackplane({ url: own.url, timeoutMs: 2000 });
    const hub = hubForTest({ backplane, replay: { maxEnvelopes: 40 } });
    await hub.cursor();
    own.pause();
    const { ms, result } = await timed(() =>
      Promise.allSettled(
        Array.from({ length: 500 }, (_, id) => hub.emit([{ op: 'refresh_item', name: 'ticket', id }])),
      ),
    );
    own.resume();
    const outcomes = result.status === 'fulfilled' ? result.value : [];
    expect(outcomes).toHaveLength(500);
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { message: expect.stringContaining('not confirmed') },
      });
    expect(ms).toBeLessThan(4000); // Not one after the other.
  });

  it('D-HUB-7 is stored although the clock of the node was set back', async () => {
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

describe('what is emitted one after the other', () => {
  it('D-HUB-5 is stored in that order though the clock of the node was set back', async () => {
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

  it('D-HUB-5 is sent in that order, also around the moment of connecting', async () => {
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

describe('while Redis is away', () => {
  it('D-HUB-7 rejects emit within timeoutMs as not confirmed, whether Redis is gone, stopped or stalled', async () => {
    const own = await ownRedis();
    const link = await linkTo(own.port);
    const node = connectNode({ url: link.url, timeoutMs: 400 });
    await appendUntilConfirmed(node, 'a', '1');
    const faults: [name: string, begin: () => unknown, end: () => unknown][] = [
      ['stopped', own.pause, own.resume],
      ['stalled', () => link.stall(true), () => link.stall(false)],
      ['refused', () => link.refuse(true), () => link.refuse(false)],
      ['gone', own.kill, own.start],
    ];
    for (const [name, begin, end] of faults) {
      await begin();
      for (const _ of ['in flight when it began', 'known to be away']) {
        const { result, ms } = await timed(() => append(node, 'a', 'lost'));
        expect(result, name).toMatchObject({ status: 'rejected' });
        expect(String((result as PromiseRejectedResult).reason), name).toMatch(/not confirmed/); // Just seen to be one.
        expect(ms, name).toBeLessThan(2000); // What it is without the option.
        expect(node.status().healthy, name).toBe(false);
      }
      await end();
      await appendUntilConfirmed(node, 'a', 'back');
      await expect.poll(() => node.status().healthy, { message: name }).toBe(true); // Both connections.
    }
  });

  it('D-HUB-7 waits 2 s when no timeoutMs is given', async () => {
    const node = connectNode({ url: 'redis://127.0.0.1:1' });
    const { result, ms } = await timed(() => append(node, 'a', '1'));
    expect(result.status).toBe('rejected');
    expect(ms).toBeGreaterThan(1900);
    expect(ms).toBeLessThan(4000);
  });

  it('D-HUB-7 a process that does nothing but emit does not end before it knows that nothing was confirmed', async () => {
    const program = await compileProgram(fileURLToPath(new URL('./onlyEmits.ts', import.meta.url)));
    onTestFinished(program.remove);
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, [program.file, 'redis://127.0.0.1:1'], {
      timeout: 20_000,
    });
    expect(stdout).toMatch(/not confirmed/);
  }, 30_000);

  it('sends nothing later that was rejected before it could be sent', async () => {
    const link = await linkTo(redis.port);
    link.refuse(true);
    const options = { url: link.url, keyPrefix: prefix(), timeoutMs: 200 };
    const node = connectNode(options);
    await expect(append(node, 'a', 'given up')).rejects.toThrow(/not confirmed/);
    link.refuse(false);
    await appendUntilConfirmed(node, 'a', 'wanted');
    expect((await openLog(node, 'a')).texts()).toEqual(['wanted']);
  });

  it('D-HUB-7 a stopped Redis does not store, when it goes on, what its caller has given up', async () => {
    const own = await ownRedis();
    const [node, other] = [connectNode({ url: own.url, timeoutMs: 300 }), connectNode({ url: own.url })];
    await appendUntilConfirmed(node, 'a', '1');
    own.pause();
    await expect(append(node, 'a', 'given up')).rejects.toThrow(/not confirmed/);
    own.resume();
    await appendUntilConfirmed(node, 'a', '2');
    expect((await openLog(other, 'a')).texts()).not.toContain('given up');
  });

  it('D-HUB-7 keeps connected clients, and answers 503 to a subscriber of an audience that the node does not know', async () => {
    const link = await linkTo(redis.port);
    const options = { url: link.url, keyPrefix: prefix(), timeoutMs: 1000 };
    const { hub, url } = await serveHub({ backplane: redisBackplane(options), authorize: () => true });
    const stream = await subscribe(url);
    const [greeting] = envelopesOf(await stream.atLeast(1));
    link.refuse(true);

    const refused = await fetch(`${url}/api/events?audience=unknown`);
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await refused.body?.cancel();
    const again = await subscribe(url, `?last_seq=${greeting?.seq}`);
    expect(envelopesOf(await again.atLeast(1))[0]).toMatchObject({ recovered: true, seq: greeting?.seq });
    expect(hub.metrics().backplane.healthy).toBe(false);

    link.refuse(false);
    for (let isOut = false; !isOut;)
      isOut = await hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]).then(
        () => true,
        () => false,
      );
    const frame = await stream.until(({ envelope }) => (envelope?.directives.length ?? 0) > 0);
    expect(frame.envelope?.seq).toBeGreaterThan(greeting?.seq ?? Infinity);
    expect(stream.isEnded()).toBe(false);
  });

  it('D-HUB-7 a reader whose link was cut gets what was appended meanwhile, in order and once', async () => {
    const link = await linkTo(redis.port);
    const keyPrefix = prefix();
    const writer = connectNode({ url: redis.url, keyPrefix });
    const reading = await openLog(connectNode({ url: link.url, keyPrefix, timeoutMs: 1000 }), 'a');
    const payloads = Array.from({ length: 60 }, (_, index) => String(index));
    for (const [index, payload] of payloads.entries()) {
      if (index % 10 === 3) link.cut();
      if (index === 20) link.refuse(true);
      if (index === 40) link.refuse(false);
      await append(writer, 'a', payload);
    }
    await reading.until(() => reading.texts().length >= payloads.length);
    expect(reading.texts()).toEqual(payloads);
    expect(reading.resets()).toHaveLength(1);
  });

  it('D-HUB-7 a link that is stalled, delayed or split at every byte loses and doubles nothing', async () => {
    const link = await linkTo(redis.port);
    const keyPrefix = prefix();
    const writer = connectNode({ url: redis.url, keyPrefix });
    const reading = await openLog(connectNode({ url: link.url, keyPrefix, timeoutMs: 1000 }), 'a');
    link.split(true);
    await append(writer, 'a', 'split \u0000 ü 𝄞');
    await reading.until(() => reading.texts().length === 1);
    link.split(false);
    link.delay(80);
    await append(writer, 'a', 'delayed');
    await reading.until(() => reading.texts().length === 2);
    link.delay(0);
    link.stall(true);
    await append(writer, 'a', 'stalled');
    link.stall(false);
    await reading.until(() => reading.texts().length === 3);
    expect(reading.texts()).toEqual(['split \u0000 ü 𝄞', 'delayed', 'stalled']);
    expect(reading.resets()).toHaveLength(1);
  });

  it('D-HUB-7 a reader behind a link that stays stalled makes a new connection', async () => {
    const link = await linkTo(redis.port);
    const keyPrefix = prefix();
    const writer = connectNode({ url: redis.url, keyPrefix });
    const reading = await openLog(connectNode({ url: link.url, keyPrefix, timeoutMs: 1000 }), 'a');
    link.stall(true);
    const before = link.connections();
    await append(writer, 'a', '1');
    const stop = setInterval(() => {
      if (link.connections() > before + 2) link.stall(false);
    }, 50);
    onTestFinished(() => clearInterval(stop));
    await reading.until(() => reading.texts().length === 1);
    expect(link.connections()).toBeGreaterThan(before + 1);
    expect(reading.texts()).toEqual(['1']);
  });

  it('D-HUB-3 tells a position when the log was trimmed past a reader that was away', async () => {
    const link = await linkTo(redis.port);
    const keyPrefix = prefix();
    const writer = connectNode({ url: redis.url, keyPrefix }, { maxEnvelopes: 10 });
    const reading = await openLog(connectNode({ url: link.url, keyPrefix, timeoutMs: 1000 }), 'a');
    link.refuse(true);
    let last = 0;
    for (let index = 0; index < 40; index += 1) last = await append(writer, 'a', String(index));
    link.refuse(false);
    await reading.until(() => reading.position() === last);
    expect(reading.resets()).toHaveLength(2);
    expect(reading.resets()[1]?.reachSeq).toBe(last - 10);
  });
});

describe('when Redis has lost data', () => {
  it('D-HUB-7 starts above every number seen and tells every reader its position within 5 s, though nothing is appended', async () => {
    const own = await ownRedis();
    const nodes = [connectNode({ url: own.url }), connectNode({ url: own.url })] as const;
    const readings = await Promise.all(nodes.map((node) => openLog(node, 'a')));
    const last = await append(nodes[0], 'a', '1');
    await Promise.all(readings.map(({ until, position }) => until(() => position() === last)));

    await own.kill();
    await own.start();
    const { ms } = await timed(() =>
      Promise.all(readings.map(({ until, resets }) => until(() => resets().length === 2))),
    );
    expect(ms).toBeLessThan(limitMs);
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
    const reading = await openLog(connectNode({ url: own.url }), 'a');
    const before = reading.position();
    const { ms } = await timed(async () => {
      await withRedis(own, (admin) => admin.flushall());
      await reading.until(() => reading.resets().length === 2);
    });
    expect(ms).toBeLessThan(limitMs);
    expect(reading.position()).toBeGreaterThan(before);
  });

  it('D-HUB-7 does not fall behind what a node has seen when its clock was set back', async () => {
    const own = await ownRedis();
    const keyPrefix = prefix();
    const node = connectNode({ url: own.url, keyPrefix });
    const future = (Date.now() + 3_600_000) * 1000;
    await withRedis(own, (admin) =>
      admin.xadd(`${keyPrefix}a:{a}`, `${future}-1`, 'p', '0', 'b', '0', 'new', '1'),
    );
    const last = await append(node, 'a', '1');
    expect(last).toBe(future + 1);
    await withRedis(own, (admin) => admin.flushall());
    expect(await append(node, 'a', '2')).toBeGreaterThan(last);
  });

  it('D-HUB-7 tells a position when a replica that lagged behind took over', async () => {
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

  it('D-HUB-7 appends to the new master when its own has become a replica, on a connection that never broke', async () => {
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

  /** As a replica that was promoted: behind the first two entries it has others than its master had, and one more. */
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

  /** A reader of this node, and one behind a link of its own that is cut before the last entry. */
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

  it('D-HUB-7 tells a position when the same numbers continue another history, also to those who were not as far', async () => {
    const keyPrefix = prefix();
    const node = connectNode({ url: redis.url, keyPrefix });
    const { link, near, far, last } = await apart(keyPrefix, node);
    await continueOtherwise(keyPrefix, last);
    link.refuse(false);
    for (const reading of [near, far]) {
      await reading.until(() => reading.position() > last + 1 && reading.resets().length > 1);
      expect(reading.resets().at(-1)?.emitted).toBe(true); // Nobody who comes is told that nothing was.
    }
  });

  it('D-HUB-7 tells it also where the node that has found out could not say so at once', async () => {
    const keyPrefix = prefix();
    const commands = await linkTo(redis.port);
    const ports = [commands.port, redis.port]; // What is read goes straight to Redis.
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
  ])('D-HUB-7 tells a position when another history has got just as far, %s', async (_, laterBy) => {
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

  it('D-HUB-7 tells a position when what was confirmed is lost before it was read', async () => {
    const keyPrefix = prefix();
    const link = await linkTo(redis.port);
    const ports = [redis.port, link.port]; // The commands go straight to Redis, what is read takes the link.
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

  it('D-HUB-3 D-HUB-7 tells connected clients, which resync, and a client that comes back that it was not recovered', async () => {
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

  it('D-HUB-7 delivers what was emitted as soon as the data was lost, behind the position that tells of the loss', async () => {
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

describe('the keys and connections of the Redis backplane', () => {
  it('D-HUB-7 lets a client go on at any node', async () => {
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

  it('D-HUB-3 lets the key of an audience expire after its last envelope, but not while it is read', async () => {
    const keyPrefix = prefix();
    const node = connectNode({ url: redis.url, keyPrefix }, { maxAgeMs: 60_000 });
    await append(node, 'a', '1');
    const reading = await openLog(node, 'b');
    await openLog(node, 'c');
    await withRedis(redis, async (admin) => {
      const left = await admin.pttl(`${keyPrefix}a:{a}`);
      expect(left).toBeGreaterThan(60_000);
      expect(left).toBeLessThan(70_000);
      await admin.pexpire(`${keyPrefix}a:{b}`, 3000);
      for (let left = 3000; left <= 3000;) left = await admin.pttl(`${keyPrefix}a:{b}`);
      for (const key of await admin.keys(`${keyPrefix}*`))
        expect(await admin.pttl(key), key).toBeGreaterThan(0);
    });
    expect(reading.resets()).toHaveLength(1);
  });

  it('D-HUB-7 leaves no key for ever where its process ends as soon as it has woken its reader', async () => {
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

  it('D-HUB-3 keeps at most so many envelopes, bytes and milliseconds in Redis', async () => {
    const keyPrefix = prefix();
    const node = connectNode({ url: redis.url, keyPrefix }, { maxEnvelopes: 20, maxBytes: 1000 });
    const length = (audience: string): Promise<number> =>
      withRedis(redis, (admin) => admin.xlen(`${keyPrefix}a:{${audience}}`));
    for (let index = 0; index < 50; index += 1) await append(node, 'many', 'x');
    for (let index = 0; index < 10; index += 1) await append(node, 'large', 'x'.repeat(300));
    expect(await length('many')).toBe(20);
    expect(await length('large')).toBe(3);
    const brief = connectNode({ url: redis.url, keyPrefix }, { maxAgeMs: 1 });
    for (let index = 0; index < 10; index += 1) await append(brief, 'many', 'x');
    expect(await length('many')).toBeLessThan(20);
  });

  it('reads the other logs on when something else wrote to the key of one', async () => {
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

  it('reads the other logs on when the key of one was overwritten, and that one again once it is gone', async () => {
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

  it('D-HUB-7 goes on when the scripts of Redis were flushed', async () => {
    const node = connectNode({ url: redis.url, keyPrefix: prefix() });
    const first = await append(node, 'a', '1');
    await withRedis(redis, (admin) => admin.script('FLUSH'));
    expect(await append(node, 'a', '2')).toBe(first + 1);
  });

  it('D-HUB-1 takes a replay.maxAgeMs with a fraction, and the longest timeoutMs', async () => {
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

  it('leaves a client that was passed in as it is, and puts its own prefix behind that of the client', async () => {
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
