// Redis is away for a time and comes back.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { platformEnv } from '../../src/env.ts';
import { redisBackplane } from '../../src/redis/index.ts';
import { contractLimits } from '../log/backplane.contract.ts';
import { compileProgram } from '../support/program.ts';
import { envelopesOf } from '../support/stream.ts';
import { serveHub, subscribe } from '../support/servers.ts';
import { linkTo, ownRedis, prefix } from './fixtures.ts';
import { append, appendUntilConfirmed, connectNode, connectTimedNode, openLog } from './reading.ts';
import { startRedis, type RedisServer } from './redisServer.ts';

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.kill());

describe('while Redis is away', () => {
  it('D-HUB-7 rejects an append as not confirmed within timeoutMs when Redis is killed, stopped, refused or stalled', async () => {
    const own = await ownRedis();
    const link = await linkTo(own.port);
    const node = connectTimedNode({ url: link.url, timeoutMs: 400 });
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
        const waitedBefore = node.waitedMs();
        await expect(append(node, 'a', 'lost'), name).rejects.toThrow(/not confirmed/);
        expect(node.waitedMs() - waitedBefore, name).toBeLessThan(2000); // The default of the option.
        expect(node.status().healthy, name).toBe(false);
      }
      await end();
      await appendUntilConfirmed(node, 'a', 'back');
      await expect.poll(() => node.status().healthy, { message: name }).toBe(true); // Both connections.
    }
  });

  it('names no option of the driver when an append meets a closing connection', async () => {
    const link = await linkTo(redis.port);
    const node = connectNode({ url: link.url, keyPrefix: prefix(), timeoutMs: 200 });
    await append(node, 'a', '1');
    link.refuse(true);
    const errors: Promise<string>[] = [];
    for (let turns = 0; turns < 200; turns += 1) {
      errors.push(append(node, 'a', 'lost').then(String, String));
      await new Promise((done) => setImmediate(done));
    }
    for (const error of await Promise.all(errors)) expect(error).not.toContain('enableOfflineQueue');
  });

  it('D-HUB-7 waits 2 s when no timeoutMs is given', async () => {
    const waits: number[] = [];
    const world = platformEnv();
    const env = {
      ...world,
      log: () => {},
      setTimeout(run: () => void, ms: number) {
        waits.push(ms);
        return world.setTimeout(run, ms / 100);
      },
    };
    const node = redisBackplane({ url: 'redis://127.0.0.1:1' }).connect({ env, replay: contractLimits });
    onTestFinished(() => node.close());
    await expect(append(node, 'a', '1')).rejects.toThrow('not confirmed');
    expect(waits).toContain(2000);
    expect(Math.max(...waits)).toBe(2000);
  });

  it('D-HUB-7 keeps a process that only emits alive until its emit is rejected', async () => {
    const program = await compileProgram(fileURLToPath(new URL('./onlyEmits.ts', import.meta.url)));
    onTestFinished(program.remove);
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, [program.file, 'redis://127.0.0.1:1'], {
      timeout: 20_000,
    });
    expect(stdout).toMatch(/not confirmed/);
  });

  it('never sends a list that was rejected before it could be sent', async () => {
    const link = await linkTo(redis.port);
    link.refuse(true);
    const options = { url: link.url, keyPrefix: prefix(), timeoutMs: 200 };
    const node = connectNode(options);
    await expect(append(node, 'a', 'given up')).rejects.toThrow(/not confirmed/);
    link.refuse(false);
    await appendUntilConfirmed(node, 'a', 'wanted');
    expect((await openLog(node, 'a')).texts()).toEqual(['wanted']);
  });

  it('D-HUB-7 does not store a list that a stopped Redis receives after its caller has given up', async () => {
    const own = await ownRedis();
    const [node, other] = [connectNode({ url: own.url, timeoutMs: 300 }), connectNode({ url: own.url })];
    await appendUntilConfirmed(node, 'a', '1');
    own.pause();
    await expect(append(node, 'a', 'given up')).rejects.toThrow(/not confirmed/);
    own.resume();
    await appendUntilConfirmed(node, 'a', '2');
    expect((await openLog(other, 'a')).texts()).not.toContain('given up');
  });

  it('reads a reply that arrived while the event loop was blocked, even if that took longer than timeoutMs', async () => {
    const own = await ownRedis();
    const node = connectNode({ url: own.url, timeoutMs: 300 });
    await appendUntilConfirmed(node, 'a', '1');
    own.pause();
    const appended = append(node, 'a', '2');
    for (let turns = 0; turns < 5; turns += 1) await new Promise((done) => setImmediate(done)); // The list is sent.
    own.resume();
    for (const until = performance.now() + 600; performance.now() < until;);
    expect(await appended).toBeGreaterThan(0);
  });

  it('D-HUB-7 keeps connected clients and responds 503 to a subscriber of an unknown audience', async () => {
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

  it('D-HUB-7 delivers missed entries once and in order after a link was cut', async () => {
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

  it('D-HUB-7 loses and repeats no entry on a link that is stalled, delayed or split at every byte', async () => {
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

  it('D-HUB-7 makes a new connection when a link stays stalled', async () => {
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

  it('D-HUB-3 resets a reader when the log was trimmed past its position', async () => {
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
