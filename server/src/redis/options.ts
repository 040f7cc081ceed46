// The options of the Redis backplane and their checks.

import { Redis, type RedisOptions } from 'ioredis';
import { durationOr, membersOf, wrong } from '../optionErrors.ts';
import type { RedisConnection } from './reconnectingClient.ts';
import { clusterFault } from './supportedServer.ts';

/** The part of an `ioredis` client (5 or 6) that the backplane uses. The client connects to one Redis, directly or through Sentinel. */
export interface RedisClient {
  /** The client's own options. */
  readonly options: {
    /** Begins every key. */
    readonly keyPrefix?: string | undefined;
  };
  /** Sends a command. The backplane never calls it. Clients of other packages do not have it. */
  call(command: string, args: (string | number)[]): Promise<unknown>;
  /** Creates a connection with the same options, except for these. */
  duplicate(override: Record<string, unknown>): RedisConnection;
}

/** Options of `redisBackplane`. An invalid option causes a `TypeError` that names it. */
export interface RedisBackplaneOptions {
  /**
   * An `ioredis` client whose settings the backplane uses, such as TLS or Sentinel. The backplane opens two connections of its own.
   * It never uses or closes this client. Pass either `client` or `url`.
   */
  client?: RedisClient | undefined;
  /** Such as `redis://user:password@host:6379/0`, or `rediss:` for TLS. Pass either `url` or `client`. */
  url?: string | undefined;
  /** The prefix of every key. Default `edict:`. A `keyPrefix` of the client comes before it. */
  keyPrefix?: string | undefined;
  /** The time after which a Redis that does not respond counts as unavailable. Milliseconds, default 2000. */
  timeoutMs?: number | undefined;
}

/** Options with their defaults. */
export interface RedisSettings {
  readonly createConnection: () => RedisConnection;
  readonly keyPrefix: string;
  readonly timeoutMs: number;
}

const known = ['client', 'url', 'keyPrefix', 'timeoutMs'];

/** Settings that both connections need, regardless of the settings of the application's own clients. */
const connectionOptions = {
  lazyConnect: true,
  // The reconnecting client opens new connections. No command is sent twice, because the caller repeats
  // unconfirmed commands.
  retryStrategy: null,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  reconnectOnError: null,
  // Automatic pipelining holds a command back until the earlier commands have replies.
  enableAutoPipelining: false,
  // The driver's own check and its client info need additional permissions. `checkServer` needs none.
  enableReadyCheck: false,
  disableClientInfo: true,
  disconnectTimeout: 500,
  // The reconnecting client has its own deadlines.
  commandTimeout: undefined,
  blockingTimeout: undefined,
  socketTimeout: undefined,
  // The scripts' replies are read in this form.
  protocol: 2,
  stringNumbers: false,
  keyPrefix: undefined,
  readOnly: false,
  monitor: false,
} satisfies RedisOptions;

/** Checks the options and fills in the defaults. */
export function readRedisOptions(options: RedisBackplaneOptions): RedisSettings {
  membersOf(options, known, 'redisBackplane');
  const { client, url, keyPrefix = 'edict:' } = options;
  if ((client === undefined) === (url === undefined))
    throw new TypeError(
      `[edict] redisBackplane: pass either client or url, not ${client === undefined ? 'neither' : 'both'}.`,
    );
  if (typeof keyPrefix !== 'string') throw broken('keyPrefix', 'a string', keyPrefix);
  return {
    createConnection: client === undefined ? fromUrl(url) : fromClient(client),
    keyPrefix: `${client?.options?.keyPrefix ?? ''}${keyPrefix}`,
    timeoutMs: durationOr(2000, 'redisBackplane: timeoutMs', options.timeoutMs),
  };
}

function fromUrl(url: unknown): () => RedisConnection {
  if (typeof url !== 'string' || !/^rediss?:\/\//.test(url) || !URL.canParse(url))
    // A string is not included in the message, because it may contain a password.
    throw broken('url', 'a URL that begins with redis:// or rediss://', typeof url === 'string' ? '…' : url);
  return () => new Redis(url, connectionOptions);
}

function fromClient(client: unknown): () => RedisConnection {
  if (typeof client === 'object' && client !== null && 'isCluster' in client && client.isCluster === true)
    throw new TypeError(clusterFault('client'));
  if (!isIoredis(client))
    throw broken(
      'client',
      'a client of the package ioredis (a client of redis or another package cannot be used; pass url instead)',
      client,
    );
  return () => client.duplicate(connectionOptions);
}

function isIoredis(client: unknown): client is RedisClient {
  if (typeof client !== 'object' || client === null || !('options' in client)) return false;
  // node-redis has `duplicate` and `options`, too.
  const methods = ['call', 'duplicate'] as const;
  return methods.every((name) => typeof (client as Record<string, unknown>)[name] === 'function'); // Any member may be read.
}

const broken = (name: string, rule: string, value: unknown): TypeError =>
  wrong(`redisBackplane: ${name}`, rule, value);
