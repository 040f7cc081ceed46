// What the environment sets, checked before anything starts. A wrong value is told by its name and with a way out.

import { fileURLToPath } from 'node:url';

export interface Settings {
  /** 0: any that is free. */
  port: number;
  host: string;
  /** Of a PostgreSQL server; undefined: PGlite in this process. */
  databaseUrl: string | undefined;
  /** PGlite's; undefined: the data lives in memory. */
  folder: string | undefined;
  /** Of several processes; undefined: the hub remembers alone. */
  redisUrl: string | undefined;
  /** How many tickets an empty desk begins with. */
  tickets: number | undefined;
  sessionMs: number;
  /** Which of several processes this is; answers then say so. */
  process: string | undefined;
}

/** Thrown with words for whoever starts the desk. */
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

/** `HOST= npm start` sets nothing. */
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
