// Reads the environment and checks it before anything starts. An error names the variable and an example.

import { fileURLToPath } from 'node:url';

export interface Settings {
  /** 0: any free port. */
  port: number;
  host: string;
  /** The URL of a PostgreSQL server. Undefined: PGlite in this process. */
  databaseUrl: string | undefined;
  /** The folder of PGlite. Undefined: the data is in memory. */
  folder: string | undefined;
  /** The URL of a Redis server that several processes share. Undefined: one process. */
  redisUrl: string | undefined;
  /** The number of tickets in a new database. */
  tickets: number | undefined;
  sessionMs: number;
  /** The number of this process among several. It is sent as `x-served-by`. */
  process: string | undefined;
}

/** A wrong value in the environment. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

const ownFolder = fileURLToPath(new URL('../.data/desk', import.meta.url));

/**
 * Reads PORT (8787; 0 = any), HOST, DATABASE_URL, REDIS_URL, DATA_FOLDER (`memory`, or a folder for PGlite),
 * SEED_TICKETS, SESSION_MS and DESK_PROCESS.
 */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const { HOST, DATABASE_URL, REDIS_URL, DATA_FOLDER, DESK_PROCESS } = given(env);
  return {
    port: wholeNumber(env, 'PORT', { max: 65_535, example: 8788 }) ?? 8787,
    host: HOST ?? '127.0.0.1',
    databaseUrl: DATABASE_URL,
    folder: DATA_FOLDER === 'memory' ? undefined : (DATA_FOLDER ?? ownFolder),
    redisUrl: REDIS_URL,
    tickets: wholeNumber(env, 'SEED_TICKETS', { max: 1_000_000, example: 500 }),
    sessionMs: wholeNumber(env, 'SESSION_MS', { max: 2 ** 31, example: 3_600_000 }) ?? 12 * 60 * 60 * 1000,
    process: DESK_PROCESS,
  };
}

/** An empty variable (`HOST= npm start`) counts as missing. */
const given = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));

function wholeNumber(
  env: NodeJS.ProcessEnv,
  name: string,
  { max, example }: { max: number; example: number },
): number | undefined {
  const text = env[name];
  if (text === undefined || text === '') return undefined;
  if (/^\d{1,10}$/.test(text) && Number(text) <= max) return Number(text);
  throw new SettingError(
    `${name} is ${text}. It has to be a whole number from 0 to ${max}, for example: ${name}=${example} npm start`,
  );
}
