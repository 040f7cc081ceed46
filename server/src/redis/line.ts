// One connection to Redis that is always made again. Nothing waits for it longer than its caller does: there is no queue
// for the time after (D-HUB-7).

import { hold, type HubEnv } from '../env.ts';

/** One connection of `ioredis`, as far as it is used. */
export interface RedisConnection {
  /** Resolves when it is ready. */
  connect(): Promise<void>;
  /** Ends it at once. */
  disconnect(): void;
  /** Sends a command. */
  call(command: string, args: (string | number)[]): Promise<unknown>;
  /** Calls back when it has ended or failed. */
  on(event: 'end' | 'error', listener: (error?: unknown) => void): unknown;
}

/** Arguments of a command. */
export type Args = (string | number)[];

/** A line that comes back by itself. */
export interface Line {
  /**
   * Sends a command when connected; its arguments are asked for then. Rejects after `timeoutMs` (plus `extraMs`, for commands that
   * block).
   */
  readonly run: (command: string, args: Args | (() => Args), extraMs?: number) => Promise<unknown>;
  /** False from a failure until it is connected again. */
  readonly isHealthy: () => boolean;
  readonly close: () => void;
}

/** What a line needs. */
export interface LineNeeds {
  readonly env: HubEnv;
  readonly timeoutMs: number;
  /** What it is for, for the log. */
  readonly purpose: string;
  /** A new connection that has not been begun and does not come back by itself. */
  readonly make: () => RedisConnection;
  /** What to do first on each connection. */
  readonly prepare?: (connection: RedisConnection) => Promise<unknown>;
  /** It is connected, again or for the first time. */
  readonly onUp?: () => void;
}

const firstBackoffMs = 50;
const longestBackoffMs = 1000;

/** Rejects when the promise takes longer. */
export function within<T>(env: HubEnv, promise: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = env.setTimeout(() => reject(new TimeoutError(ms)), ms);
    promise.then(resolve, reject).finally(() => env.clearTimeout(timer));
  });
}

class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
  constructor(ms: number) {
    super(`Redis did not answer within ${Math.round(ms)} ms.`);
  }
}

/** How long to wait before an attempt: doubling, and spread so that nodes do not come back in step. */
export function backoffMs(attempt: number, random: number): number {
  return Math.min(longestBackoffMs, firstBackoffMs * 2 ** Math.min(attempt, 10)) * (0.5 + random / 2);
}

/** Opens a line. */
export function createLine({ env, timeoutMs, purpose, make, prepare, onUp }: LineNeeds): Line {
  let current: RedisConnection | null = null;
  let begun: RedisConnection | null = null;
  let isClosed = false;
  let attempts = 0;
  let timer: unknown = null;
  const waiting = new Set<(connection: RedisConnection | Error) => void>();

  function connect(): void {
    timer = null;
    if (isClosed) return;
    const connection = make();
    begun = connection;
    let lastError: unknown = null;
    // Without a listener ioredis writes to the console; the reason is told once, below.
    connection.on('error', (error) => (lastError = error));
    connection.on('end', () => lose(connection, lastError ?? new Error('The connection ended.')));
    const opened = connection.connect().then(() => prepare?.(connection));
    within(env, opened, timeoutMs).then(
      () => up(connection),
      (error: unknown) => {
        connection.disconnect();
        retry(lastError ?? error);
      },
    );
  }

  function up(connection: RedisConnection): void {
    if (isClosed) return connection.disconnect();
    if (attempts > 0) env.log('warn', `Redis is back (${purpose}).`);
    attempts = 0;
    current = connection;
    for (const go of waiting) go(connection);
    onUp?.();
  }

  function retry(reason: unknown): void {
    if (isClosed || timer !== null) return;
    if (attempts === 0) env.log('warn', `Redis is away (${purpose}); trying again until it is back.`, reason);
    timer = env.setTimeout(connect, backoffMs(attempts, env.random()));
    attempts += 1;
  }

  function lose(connection: RedisConnection, reason: unknown): void {
    if (current !== connection) return; // An attempt that failed, or one that was given up already.
    current = null;
    connection.disconnect();
    retry(reason);
  }

  /** Sends in the very moment when there is a connection: what is sent afterwards does not overtake it. */
  function whenConnected(send: (connection: RedisConnection) => Promise<unknown>): Promise<unknown> {
    if (isClosed) return Promise.reject(new Error('The Redis backplane is closed.'));
    return new Promise((resolve, reject) => {
      const late = env.setTimeout(() => go(new TimeoutError(timeoutMs)), timeoutMs);
      hold(late); // Without a connection nothing else keeps a process alive that does nothing but emit.
      function go(outcome: RedisConnection | Error): void {
        waiting.delete(go);
        env.clearTimeout(late);
        if (outcome instanceof Error) reject(outcome);
        else resolve(send(outcome));
      }
      waiting.add(go);
    });
  }

  function run(command: string, args: Args | (() => Args), extraMs = 0): Promise<unknown> {
    const startedAt = env.now();
    async function send(connection: RedisConnection): Promise<unknown> {
      // One deadline for the wait and the answer.
      const leftMs = Math.max(1, timeoutMs - Math.max(0, env.now() - startedAt)) + extraMs;
      try {
        return await within(
          env,
          connection.call(command, typeof args === 'function' ? args() : args),
          leftMs,
        );
      } catch (error) {
        // A stalled link looks open for minutes.
        if (!isAnswer(error) || isOfTheNode(error)) lose(connection, error);
        throw error;
      }
    }
    return current === null ? whenConnected(send) : send(current);
  }

  connect();
  return {
    run,
    isHealthy: () => attempts === 0,
    close() {
      isClosed = true;
      if (timer !== null) env.clearTimeout(timer);
      for (const go of waiting) go(new Error('The Redis backplane is closed.'));
      begun?.disconnect(); // The one in use, or the one that is being made.
      current = null;
    },
  };
}

/** Redis itself said no; the connection is well. */
function isAnswer(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}

/** What was a master and is none any more stays so for this connection: another may lead elsewhere. */
function isOfTheNode(error: Error): boolean {
  return /^(READONLY|LOADING|MASTERDOWN|UNBLOCKED)\b/.test(error.message);
}
