// A cluster for a test: a real PostgreSQL, a real Redis and two processes of the desk behind one port. All of it on
// free ports of the loopback, in folders that are thrown away, each ended by its process id.

import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './freePort.ts';

export interface Cluster {
  /** The address that people know. */
  url: string;
  /** The addresses of the processes themselves. */
  processes: { place: string; url: string }[];
  /** Ends one of them at once, as a crash would. */
  kill: (place: string) => Promise<void>;
  stop: () => Promise<void>;
}

const root = fileURLToPath(new URL('..', import.meta.url));

const postgresFolder = [
  process.env['POSTGRES_BIN'] ?? '',
  ...['18', '17', '16', '15', '14', '13'].map((version) => `/usr/lib/postgresql/${version}/bin`),
].find((path) => existsSync(join(path, 'initdb')));
const redisPath = process.env['REDIS_SERVER_PATH'] ?? '/usr/bin/redis-server';

/** What of it this machine lacks; empty when a cluster can be started. */
export const missingForCluster: readonly string[] = [
  ...(postgresFolder === undefined ? ['postgresql (or POSTGRES_BIN=<the folder of initdb>)'] : []),
  ...(existsSync(redisPath) ? [] : ['redis-server (or REDIS_SERVER_PATH=<its path>)']),
];

export async function startCluster(): Promise<Cluster> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of stops.toReversed()) await end();
  };
  try {
    const [database, redis] = await Promise.all([startPostgres(), startRedis()]);
    stops.push(database.stop, redis.stop);
    const child = spawn(process.execPath, ['--import', 'tsx', 'scripts/cluster.ts'], {
      cwd: root,
      env: {
        ...process.env,
        PORT: '0',
        DATABASE_URL: database.url,
        REDIS_URL: redis.url,
        SEED_TICKETS: '300',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    stops.push(async () => await end(child, 'SIGTERM'));
    const said = await until(child, /Both are behind (http:\S+)/);
    const pids = new Map(
      [...said.matchAll(/\[(\d)\] Process (\d+) starts/g)].map(([, place, pid]) => [place, pid]),
    );
    return {
      url: addressIn(said, /Both are behind http:\/\/localhost:(\d+)/),
      processes: ['1', '2'].map((place) => ({
        place,
        url: addressIn(said, new RegExp(`\\[${place}\\] .*?http://localhost:(\\d+)`)),
      })),
      async kill(place) {
        const gone = until(child, new RegExp(`\\[${place}\\] Process \\d+ has ended`));
        process.kill(Number(pids.get(place)), 'SIGKILL');
        await gone;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function addressIn(text: string, pattern: RegExp): string {
  const port = pattern.exec(text)?.[1];
  if (port === undefined) throw new Error(`There is no address in:\n${text}`);
  return `http://127.0.0.1:${port}`;
}

async function startRedis(): Promise<{ url: string; stop: () => Promise<void> }> {
  const port = String(await freePort());
  const child = spawn(
    redisPath,
    ['--port', port, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  await until(child, /Ready to accept connections/);
  return { url: `redis://127.0.0.1:${port}`, stop: async () => await end(child, 'SIGKILL') };
}

/** PostgreSQL refuses to run as root; for root it runs as the user that its package made. */
async function startPostgres(): Promise<{ url: string; stop: () => Promise<void> }> {
  const folder = postgresFolder ?? '';
  const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'postgres']));
  const owner = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : null;
  const data = mkdtempSync(join(tmpdir(), 'desk-postgres-'));
  if (owner !== null) chownSync(data, owner.uid, owner.gid);
  const place = { ...owner, cwd: data };
  execFileSync(
    join(folder, 'initdb'),
    ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-sync'],
    { ...place, stdio: 'ignore' },
  );
  const port = String(await freePort());
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', 'lc_messages=C'];
  const child = spawn(
    join(folder, 'postgres'),
    ['-D', data, '-p', port, ...settings.flatMap((setting) => ['-c', setting])],
    { ...place, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  await until(child, /ready to accept connections/);
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      await end(child, 'SIGINT'); // At once, without waiting for its clients.
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** All that it has said when the words come; rejects when it ends before. */
async function until(child: ChildProcess, words: RegExp): Promise<string> {
  return await new Promise((resolve, reject) => {
    let said = '';
    const listen = (chunk: Buffer): void => {
      said += chunk.toString();
      if (!words.test(said)) return;
      child.off('exit', fail);
      resolve(said);
    };
    const fail = (code: number | null): void =>
      reject(new Error(`${child.spawnargs[0]} ended with ${code}:\n${said}`));
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
    child.once('exit', fail);
  });
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await ended;
}
