// A real Redis on a free loopback port, without persistence by default. It is ended by its process id.

import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../support/freePort.ts';

/** A Redis that tests can stop and kill. */
export interface RedisServer {
  readonly port: number;
  readonly url: string;
  /** Kills the process and waits for its end. Without `dir`, the data is lost. */
  readonly kill: () => Promise<void>;
  /** Removes the data that a killed process stored in `dir`. */
  readonly forget: () => void;
  /** Restarts the process on the same port and waits until it responds. */
  readonly start: () => Promise<void>;
  /** Suspends the process without closing its connections. */
  readonly pause: () => void;
  readonly resume: () => void;
}

/** The path on Debian and most other systems. */
const binary = [
  process.env['REDIS_SERVER_PATH'] ?? '',
  '/usr/bin/redis-server',
  '/usr/local/bin/redis-server',
].find((path) => path !== '' && existsSync(path));

/** Whether the program of the server is installed. */
export const hasRedis: boolean = binary !== undefined;

/**
 * Starts a Redis. With `dir`, every write is stored there and restored after a restart. `args` are further options of
 * `redis-server`. With `sentinel`, the path of its configuration, it is a Sentinel.
 */
export async function startRedis(
  dir?: string,
  args: readonly string[] = [],
  sentinel?: string,
): Promise<RedisServer> {
  if (binary === undefined)
    throw new Error('These tests need redis-server; install the package of that name.');
  const path = binary;
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let child: ChildProcess | null = null;

  async function start(): Promise<void> {
    const persistence =
      dir === undefined
        ? ['--appendonly', 'no']
        : // Each write is in the file before its response, so a kill loses nothing. Without fsync, writes do not wait for a busy disk.
          ['--dir', dir, '--appendonly', 'yes', '--appendfsync', 'no'];
    const started = spawn(
      path,
      sentinel !== undefined
        ? [sentinel, '--sentinel', '--port', String(port), '--bind', '127.0.0.1']
        : ['--port', String(port), '--bind', '127.0.0.1', '--save', '', ...persistence, ...args],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    child = started;
    await new Promise<void>((done, fail) => {
      let said = '';
      started.stdout.on('data', (data: Buffer) => {
        said += data.toString();
        if (/Ready to accept connections|Sentinel ID is/.test(said)) done();
      });
      started.once('exit', (code) => fail(new Error(`redis-server ended with ${code}:\n${said}`)));
    });
  }

  async function kill(): Promise<void> {
    const running = child;
    child = null;
    if (running === null || running.exitCode !== null || running.signalCode !== null) return;
    const gone = new Promise((done) => running.once('exit', done));
    running.kill('SIGKILL');
    await gone;
  }

  await start();
  return {
    port,
    url,
    kill,
    start,
    forget() {
      if (dir !== undefined) rmSync(join(dir, 'appendonlydir'), { recursive: true, force: true });
    },
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
  };
}

/** Runs commands as an administrator, on a separate connection. */
export async function withRedis<T>({ url }: RedisServer, run: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url);
  try {
    return await run(redis);
  } finally {
    redis.disconnect();
  }
}
