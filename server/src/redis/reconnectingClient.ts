// One connection to Redis that reconnects by itself. It has no queue for later: every caller has a deadline, and a
// command that missed its deadline is not sent afterwards (D-HUB-7).

import { type HubEnv, keepAlive, within } from '../env.ts';
import { RedisError, safeError } from './safeError.ts';
import { checkServer } from './supportedServer.ts';

/** The part of an `ioredis` connection that the backplane uses. */
export interface RedisConnection {
  /** Resolves when the connection is ready. */
  connect(): Promise<void>;
  /** Ends the connection immediately. */
  disconnect(): void;
  /** Sends a command and resolves to the reply. */
  call(command: string, args: (string | number)[]): Promise<unknown>;
  /** Calls the listener when the connection has ended or failed. */
  on(event: 'end' | 'error', listener: (error?: unknown) => void): unknown;
}

/** The arguments of a command. */
export type Args = (string | number)[];

/** A client that reconnects by itself. Its errors are instances of `RedisError`. */
export interface ReconnectingClient {
  /**
   * Sends a command as soon as the client is connected. A function for the arguments is called at that time. Rejects after
   * `timeoutMs`, plus `extraMs` for a command that blocks.
   */
  readonly run: (command: string, args: Args | (() => Args), extraMs?: number) => Promise<unknown>;
  readonly isConnected: () => boolean;
  readonly close: () => void;
}

/** The collaborators of a client. */
export interface ReconnectingClientNeeds {
  readonly env: HubEnv;
  readonly timeoutMs: number;
  /** Names the client in log lines. */
  readonly purpose: string;
  /** Creates a connection that neither connects nor reconnects by itself. */
  readonly createConnection: () => RedisConnection;
  /** Runs on each new connection before any command. */
  readonly prepare?: (connection: RedisConnection) => Promise<unknown>;
  /** Called after each connect. */
  readonly onConnect?: () => void;
}

const firstBackoffMs = 50;
const longestBackoffMs = 1000;

function timeout(ms: number, lastFailure: RedisError | null): RedisError {
  const reason = lastFailure === null ? '' : ` The last attempt to connect failed: ${lastFailure.message}`;
  return new RedisError(`Redis did not respond within ${Math.round(ms)} ms.${reason}`);
}

const closed = (): RedisError => new RedisError('The Redis backplane is closed.');

/**
 * The wait before an attempt. It doubles, and has a random part so that nodes do not reconnect at the same time.
 */
export function backoffMs(attempt: number, random: number): number {
  return Math.min(longestBackoffMs, firstBackoffMs * 2 ** Math.min(attempt, 10)) * (0.5 + random / 2);
}

/** Creates a client and starts to connect. */
export function createReconnectingClient(needs: ReconnectingClientNeeds): ReconnectingClient {
  const { env, timeoutMs, purpose } = needs;
  let current: RedisConnection | null = null;
  let newest: RedisConnection | null = null;
  let isClosed = false;
  let attempts = 0;
  let lastFailure: RedisError | null = null;
  let timer: unknown = null;
  const waiting = new Set<(connection: RedisConnection | RedisError) => void>();

  async function open(connection: RedisConnection, failure: () => unknown): Promise<void> {
    await connection.connect();
    // The driver reports a refused SELECT this way and then continues with database 0.
    if (failure() !== null) throw safeError(failure());
    await checkServer(connection);
    await needs.prepare?.(connection);
  }

  function connect(): void {
    timer = null;
    if (isClosed) return;
    const connection = needs.createConnection();
    newest = connection;
    let failure: unknown = null;
    // Without a listener, ioredis writes each error to the console.
    connection.on('error', (error) => (failure = error));
    connection.on('end', () => lose(connection, failure ?? new RedisError('The connection ended.')));
    const opened = open(connection, () => failure);
    within(env, opened, timeoutMs, () => timeout(timeoutMs, null)).then(
      () => connected(connection),
      (error: unknown) => {
        connection.disconnect();
        retry(failure ?? error);
      },
    );
  }

  function connected(connection: RedisConnection): void {
    if (isClosed) return connection.disconnect();
    if (attempts > 0) env.log('warn', `Redis (${purpose}): the connection is open again.`);
    attempts = 0;
    current = connection;
    for (const proceed of waiting) proceed(connection);
    needs.onConnect?.();
  }

  function retry(reason: unknown): void {
    if (isClosed) return;
    lastFailure = safeError(reason);
    if (isDenied(lastFailure)) for (const proceed of waiting) proceed(lastFailure);
    if (attempts === 0)
      env.log(
        'warn',
        `Redis (${purpose}): the connection failed. The hub tries again until it succeeds.`,
        lastFailure,
      );
    timer = env.setTimeout(connect, backoffMs(attempts, env.random()));
    attempts += 1;
  }

  function lose(connection: RedisConnection, reason: unknown): void {
    if (current !== connection) return; // A failed attempt, or a connection that was already given up.
    current = null;
    connection.disconnect();
    retry(reason);
  }

  /** Sends in the same task in which the connection opens, so that no later command overtakes this one. */
  function whenConnected(send: (connection: RedisConnection) => Promise<unknown>): Promise<unknown> {
    if (isClosed) return Promise.reject(closed());
    if (lastFailure !== null && isDenied(lastFailure)) return Promise.reject(lastFailure);
    return new Promise((resolve, reject) => {
      const deadline = env.setTimeout(() => proceed(timeout(timeoutMs, lastFailure)), timeoutMs);
      keepAlive(deadline); // Nothing else keeps a process alive that only emits and has no connection yet.
      function proceed(outcome: RedisConnection | RedisError): void {
        waiting.delete(proceed);
        env.clearTimeout(deadline);
        if (outcome instanceof RedisError) reject(outcome);
        else resolve(send(outcome));
      }
      waiting.add(proceed);
    });
  }

  function run(command: string, args: Args | (() => Args), extraMs = 0): Promise<unknown> {
    const startedAt = env.now();
    async function send(connection: RedisConnection): Promise<unknown> {
      // Connecting and responding share one deadline.
      const leftMs = Math.max(1, timeoutMs - Math.max(0, env.now() - startedAt)) + extraMs;
      try {
        const sent = connection.call(command, typeof args === 'function' ? args() : args);
        return await within(env, sent, leftMs, () => timeout(leftMs, null));
      } catch (error) {
        const reason = safeError(error);
        // A stalled connection can look open for minutes, so a command without a reply ends it.
        if (!reason.isRefusal || isAboutTheServer(reason)) lose(connection, reason);
        throw reason;
      }
    }
    return current === null ? whenConnected(send) : send(current);
  }

  connect();
  return {
    run,
    isConnected: () => current !== null,
    close() {
      isClosed = true;
      if (timer !== null) env.clearTimeout(timer);
      for (const proceed of waiting) proceed(closed());
      newest?.disconnect(); // The connection in use, or the one that is being made.
      current = null;
    },
  };
}

/**
 * Whether a new connection may help. A master that became a replica remains one for this connection. A server that
 * is busy with a script counts as unavailable until it responds.
 */
const isAboutTheServer = ({ message }: RedisError): boolean =>
  /^(READONLY|LOADING|MASTERDOWN|UNBLOCKED|BUSY)\b/.test(message);

/**
 * Whether Redis refuses the password or the permissions of new connections. Waiting does not help, so commands are rejected as refused, and
 * streams end as they do when Redis refuses every command.
 */
const isDenied = ({ message }: RedisError): boolean => /^(NOAUTH|WRONGPASS|NOPERM)\b/.test(message);
