// A cluster for a test: a real PostgreSQL, a real Redis, and two processes of the desk behind one port. They run on
// free loopback ports with temporary folders, and each process is ended by its id.

import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { end } from './deskServer.ts';
import { hasPostgres, startPostgres } from '../../server/test/postgres/postgresServer.ts';
import { hasRedis, startRedis } from '../../server/test/redis/redisServer.ts';

export interface Cluster {
  /** The common address. */
  url: string;
  /** The addresses of the processes themselves. */
  processes: { place: string; url: string }[];
  /** Kills one process immediately, like a crash. */
  kill: (place: string) => Promise<void>;
  stop: () => Promise<void>;
}

const root = fileURLToPath(new URL('..', import.meta.url));

/** The programs that this machine lacks. Empty when a cluster can be started. */
export const missingForCluster: readonly string[] = [
  ...(hasPostgres ? [] : ['postgresql (or POSTGRES_BIN=<the folder of initdb>)']),
  ...(hasRedis ? [] : ['redis-server (or REDIS_SERVER_PATH=<its path>)']),
];

export async function startCluster(env: Record<string, string> = {}): Promise<Cluster> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of stops.toReversed()) await end();
  };
  try {
    const [database, redis] = await Promise.all([startPostgres(), startRedis()]);
    stops.push(database.stop, redis.kill);
    const child = spawn(process.execPath, ['--import', 'tsx', 'scripts/cluster.ts'], {
      cwd: root,
      env: {
        ...process.env,
        PORT: '0',
        DATABASE_URL: database.url,
        REDIS_URL: redis.url,
        SEED_TICKETS: '300',
        ...env,
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

/** Resolves with the output of a process once it matches `words`. Rejects when the process ends before. */
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
