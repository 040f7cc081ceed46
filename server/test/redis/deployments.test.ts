// Redis as operators run it: with an ACL, behind Sentinel, with TLS, with a replica, as a cluster.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cluster, Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { redisBackplane } from '../../src/redis/index.ts';
import { freePort } from '../support/freePort.ts';
import { serveHub, subscribe } from '../support/servers.ts';
import { idsOf } from '../support/stream.ts';
import { append, appendUntilConfirmed, connectNode, openLog } from './reading.ts';
import { startRedis, withRedis, type RedisServer } from './redisServer.ts';

async function ownRedis(...args: string[]): Promise<RedisServer> {
  const redis = await startRedis(undefined, args);
  onTestFinished(() => redis.kill());
  return redis;
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'edict-redis-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Connects a node that must be refused. Returns its first log lines and the error of an append. */
async function refusal(url: string): Promise<string> {
  const lines: string[] = [];
  const node = connectNode({ url, timeoutMs: 500 }, {}, (_level, message, detail) =>
    lines.push(message, String(detail)),
  );
  const error = await append(node, 'a', '1').catch((reason: unknown) => String(reason));
  expect(error).toMatch(/not confirmed/);
  expect(node.status().healthy).toBe(false);
  expect(lines.join(' ')).toContain('redisBackplane: the server');
  return String(error);
}

describe('an ACL', () => {
  it('D-HUB-7 needs exactly the commands that the guide lists', async () => {
    const guide = readFileSync(new URL('../../../docs/server/scaling.md', import.meta.url), 'utf8');
    const [, rules = ''] = /^ACL SETUSER edict on >PASSWORD (.*)$/m.exec(guide) ?? [];
    const documented = [...rules.matchAll(/\+(\S+)/g)].map(([, command = '']) => command);
    expect(documented.length).toBeGreaterThan(0);

    const redis = await ownRedis();
    const administrate = <T>(run: (admin: Redis) => Promise<T>): Promise<T> => withRedis(redis, run);
    await administrate((admin) => admin.call('ACL', ['SETUSER', 'edict', 'on', '>pw', ...rules.split(' ')]));
    await administrate((admin) => admin.config('RESETSTAT'));
    const lines: string[] = [];
    const options = { url: `redis://edict:pw@127.0.0.1:${redis.port}` };
    const node = connectNode(options, { maxEnvelopes: 3 }, (_level, message) => lines.push(message));
    const reading = await openLog(node, 'a');
    const key = 'edict:a:{a}';
    await append(node, 'a', '0');
    const early = await administrate((admin) => admin.dumpBuffer(key));
    // A reader that is more than 3 envelopes behind would be reset.
    for (let text = 1; text < 10; text += 1) {
      await append(node, 'a', String(text));
      await reading.until(() => reading.texts().length === text + 1);
    }
    // The scripts are flushed, and a log is behind.
    await administrate(async (admin) => {
      await admin.script('FLUSH');
      await admin.restore(key, 0, early, 'REPLACE');
    });
    await append(node, 'b', 'sent again');
    await reading.until(() => reading.resets().length === 2);
    await administrate((admin) => admin.script('FLUSH'));
    await node.position('a');
    await expect.poll(() => node.status().healthy).toBe(true);

    expect(await administrate((admin) => admin.call('ACL', ['LOG']))).toEqual([]);
    expect(lines).toEqual([]);
    const stats = await administrate((admin) => admin.info('commandstats'));
    const used = [...stats.matchAll(/cmdstat_([^:]+):/g)].map(([, command = '']) => command);
    const others = [
      'auth',
      'hello',
      'info',
      'dump',
      'restore',
      'script|flush',
      'config|resetstat',
      'acl|log',
      'client|setinfo',
    ];
    expect(used.filter((command) => !others.includes(command)).toSorted()).toEqual(documented.toSorted());
  });
});

describe('a server that is not supported', () => {
  it('D-HUB-7 refuses a node of a cluster, by URL and by client', async () => {
    const dir = folder();
    // The default is 10,000 above the port of the server, which is in the range of outgoing connections.
    const busPort = String(await freePort());
    const redis = await ownRedis('--cluster-enabled', 'yes', '--cluster-port', busPort, '--dir', dir);
    expect(await refusal(redis.url)).toMatch(/Redis Cluster, which is not supported. Use one Redis/);
    const client = new Cluster([{ host: '127.0.0.1', port: redis.port }], { lazyConnect: true });
    // The types do not accept it either.
    expect(() => redisBackplane({ client: client as never })).toThrow(/client is part of a Redis Cluster/);
  });

  it('refuses a replica', async () => {
    const master = await ownRedis();
    const replica = await ownRedis('--replicaof', '127.0.0.1', String(master.port));
    expect(await refusal(replica.url)).toMatch(/is a replica and accepts no writes/);
  });

  it('refuses a client of node-redis with an error that names ioredis', () => {
    const client = {
      options: {},
      duplicate: () => client,
      sendCommand: () => Promise.resolve(),
      isOpen: false,
    };
    expect(() => redisBackplane({ client: client as never })).toThrow(
      /^\[edict\] redisBackplane: client must be a client of the package ioredis.*pass url instead/,
    );
  });
});

describe('Sentinel', () => {
  it('D-HUB-7 continues at the promoted replica, and keeps the streams', async () => {
    const dir = folder();
    const master = await ownRedis();
    await ownRedis('--replicaof', '127.0.0.1', String(master.port));
    const config = join(dir, 'sentinel.conf');
    const rules = [
      `sentinel monitor edict 127.0.0.1 ${master.port} 1`,
      'sentinel down-after-milliseconds edict 400',
      'sentinel failover-timeout edict 2000',
    ];
    writeFileSync(config, rules.join('\n'));
    const sentinel = await startRedis(undefined, [], config);
    onTestFinished(() => sentinel.kill());
    expect(await refusal(sentinel.url)).toMatch(/is a Sentinel .* with the options sentinels and name/);

    const sentinels = [{ host: '127.0.0.1', port: sentinel.port }];
    const client = new Redis({ sentinels, name: 'edict', lazyConnect: true });
    onTestFinished(() => client.disconnect());
    const { hub, url } = await serveHub({ backplane: redisBackplane({ client }), log: () => {} });
    const stream = await subscribe(url);
    await stream.atLeast(1);
    const emit = (id: number): Promise<unknown> => hub.emit([{ op: 'refresh_item', name: 'ticket', id }]);
    await emit(1);
    await withRedis(sentinel, async (admin) => {
      const replicas = async (): Promise<unknown> => admin.call('SENTINEL', ['REPLICAS', 'edict']);
      await expect.poll(replicas).toHaveLength(1);
    });
    await master.kill();
    for (let isOut = false; !isOut;)
      isOut = await emit(2).then(
        () => true,
        () => false,
      );
    await stream.until(() => idsOf(stream.frames).includes(2));
    expect(idsOf(stream.frames).at(-1)).toBe(2);
    expect(stream.isEnded()).toBe(false);
  });
});

describe('TLS', () => {
  it('uses the certificates of the client, and reports a certificate that it cannot verify', async () => {
    const dir = folder();
    const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-days',
        '2',
        '-keyout',
        key,
        '-out',
        cert,
        ...subject,
      ],
      { stdio: 'ignore' },
    );
    const plain = await ownRedis(); // Only its port is used.
    await plain.kill();
    const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', cert];
    await ownRedis('--port', '0', '--tls-port', String(plain.port), '--tls-auth-clients', 'no', ...files);
    const client = new Redis({ port: plain.port, tls: { ca: readFileSync(cert) }, lazyConnect: true });
    const node = connectNode({ client });
    const reading = await openLog(node, 'a');
    await append(node, 'a', '1');
    await reading.until(() => reading.texts().length === 1);

    const lines: string[] = [];
    const url = `rediss://127.0.0.1:${plain.port}`;
    const other = connectNode({ url, timeoutMs: 500 }, {}, (_level, message, detail) =>
      lines.push(message, String(detail)),
    );
    await expect(append(other, 'a', '2')).rejects.toThrow(/not confirmed.*certificate/);
    expect(lines.join(' ')).toContain('certificate');
  });
});

describe('key prefixes', () => {
  it.each([
    ['a:', 'b:a:{x', 'a:b:', 'x'],
    ['a:', 'b:a:x', 'a:b:', 'x'],
    ['a:{', 'x', 'a:', '{x'],
    ['a', ':{x', 'a:', '{x'],
  ])('D-HUB-7 keep hubs apart: %s with audience %s and %s with %s', async (one, audience, other, name) => {
    const redis = await ownRedis();
    const here = connectNode({ url: redis.url, keyPrefix: one });
    const there = connectNode({ url: redis.url, keyPrefix: other });
    const [reading, far] = [await openLog(here, audience), await openLog(there, name)];
    await append(here, audience, 'here');
    await append(there, name, 'there');
    await reading.until(() => reading.texts().length === 1);
    await far.until(() => far.texts().length === 1);
    expect([reading.texts(), far.texts()]).toEqual([['here'], ['there']]);
    await appendUntilConfirmed(here, audience, 'more');
    await reading.until(() => reading.texts().length === 2);
    expect(far.texts()).toEqual(['there']);
  });
});
