// Options of the Redis backplane and their checks.

import { Redis, type RedisOptions } from 'ioredis';
import { durationOr, membersOf, wrong } from '../optionErrors.ts';
import type { RedisConnection } from './line.ts';

/** A client of `ioredis` (5 or 6) that speaks to one Redis, or finds it through Sentinel; as far as it is used. */
export interface RedisClient {
  /** The client's own options. */
  readonly options: {
    /** Stands before every key. */
    readonly keyPrefix?: string | undefined;
  };
  /** A new connection with the same options but for these. */
  duplicate(override: Record<string, unknown>): RedisConnection;
}

/** Options of `redisBackplane`. Wrong ones are a `TypeError` that names the option. */
export interface RedisBackplaneOptions {
  /**
   * An `ioredis` client whose settings are used: the backplane makes two connections of its own like it and leaves this one
   * alone, also when it closes. Either this or `url`.
   */
  client?: RedisClient | undefined;
  /** Such as `redis://user:password@host:6379/0`, or `rediss:` for TLS. Either this or `client`. */
  url?: string | undefined;
  /** Begins every key. Default `edict:`. The `keyPrefix` of a client stands before it. */
  keyPrefix?: string | undefined;
  /** How long anything waits for Redis before it counts as away. Milliseconds, default 2000. */
  timeoutMs?: number | undefined;
}

/** Options with their defaults filled in. */
export interface RedisSettings {
  readonly make: () => RedisConnection;
  readonly keyPrefix: string;
  readonly timeoutMs: number;
}

const known = ['client', 'url', 'keyPrefix', 'timeoutMs'];

/** What each connection needs, whatever the application's own clients do. */
const connectionOptions = {
  lazyConnect: true,
  // A line makes a new connection itself and nothing is sent twice: what was not confirmed is the caller's to repeat.
  retryStrategy: null,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  reconnectOnError: null,
  enableAutoPipelining: false,
  enableReadyCheck: true,
  disconnectTimeout: 500,
  // Deadlines are the line's.
  commandTimeout: undefined,
  blockingTimeout: undefined,
  socketTimeout: undefined,
  // Answers as the scripts make them.
  protocol: 2,
  stringNumbers: false,
  keyPrefix: undefined,
  readOnly: false,
  monitor: false,
} satisfies RedisOptions;

/** Checks options and fills in the defaults. */
export function readRedisOptions(options: RedisBackplaneOptions): RedisSettings {
  membersOf(options, known, 'redisBackplane');
  const { client, url, keyPrefix = 'edict:' } = options;
  if ((client === undefined) === (url === undefined))
    throw new TypeError(
      `redisBackplane: give either client or url, not ${client === undefined ? 'neither' : 'both'}.`,
    );
  if (typeof keyPrefix !== 'string') throw broken('keyPrefix', 'a string', keyPrefix);
  return {
    make: client === undefined ? maker(url) : duplicator(client),
    keyPrefix: `${client?.options?.keyPrefix ?? ''}${keyPrefix}`,
    timeoutMs: durationOr(2000, 'redisBackplane: timeoutMs', options.timeoutMs),
  };
}

function maker(url: unknown): () => RedisConnection {
  if (typeof url !== 'string' || !/^rediss?:\/\//.test(url) || !URL.canParse(url))
    throw broken('url', 'a URL that begins with redis:// or rediss://', typeof url === 'string' ? '…' : url);
  return () => new Redis(url, connectionOptions);
}

function duplicator(client: unknown): () => RedisConnection {
  const isOne = typeof client === 'object' && client !== null && 'duplicate' in client && 'options' in client;
  if (!isOne || typeof client.duplicate !== 'function') throw broken('client', 'a client of ioredis', client);
  if ('isCluster' in client && client.isCluster === true)
    throw new TypeError(
      'redisBackplane: client is one of a cluster; give one of a single Redis or of Sentinel.',
    );
  const whole = client as RedisClient; // It has what the lines above looked for.
  return () => whole.duplicate(connectionOptions);
}

const broken = (name: string, rule: string, value: unknown): TypeError =>
  wrong(`redisBackplane: ${name}`, rule, value);
