// The hub's environment: clock, timers, randomness, ids, and log. Only this file of the package uses those of the
// platform.

/**
 * The functions that the hub needs from its environment. Every member looks up the platform's function when it is
 * called.
 */
export interface HubEnv {
  /** Milliseconds since the epoch. */
  now(): number;
  /** A timer that does not keep the process alive. It waits for at most 24 days. */
  setTimeout(run: () => void, ms: number): unknown;
  /** Cancels a timer. */
  clearTimeout(handle: unknown): void;
  /** Runs in a later turn of the event loop, after pending input and output. */
  nextTurn(run: () => void): void;
  /** At least 0, below 1. */
  random(): number;
  /** A new unique id, such as a UUID. */
  newId(): string;
  /** Receives messages for the operator. */
  log(level: LogLevel, message: string, detail?: unknown): void;
}

/** The severity of a log message. */
export type LogLevel = 'debug' | 'warn' | 'error';

/**
 * The application's log function may throw or be async. Messages that it fails to log go to the environment's log
 * (D-NAME-5).
 */
export function guardedLog(
  world: Pick<HubEnv, 'log'>,
  own: ((level: LogLevel, message: string, detail?: unknown) => unknown) | undefined,
): HubEnv['log'] {
  if (own === undefined) return (level, message, detail) => world.log(level, message, detail);
  return (level, message, detail) => {
    const failed = (error: unknown): void => {
      world.log('error', 'The option "log" failed', error);
      world.log(level, message, detail);
    };
    try {
      // `Promise.resolve` also accepts promises of another realm and other thenables.
      Promise.resolve(own(level, message, detail)).catch(failed);
    } catch (error) {
      failed(error);
    }
  };
}

/** Whether `NODE_ENV` is `production`. False on a platform without `process`. */
export function isProduction(): boolean {
  return typeof process !== 'undefined' && process.env['NODE_ENV'] === 'production';
}

/**
 * Node, Bun, and Deno return an object. A worker returns a number, and has no process that a timer could keep
 * alive.
 */
const hasRef = (timer: unknown): timer is { ref(): void; unref(): void } =>
  typeof timer === 'object' && timer !== null && 'unref' in timer;

/** Keeps the process alive until this timer has run or was cleared, because a promise waits for it. */
export function keepAlive(timer: unknown): void {
  if (hasRef(timer)) timer.ref();
}

/**
 * Rejects if the promise takes too long. After the event loop was blocked, timers run before replies that have
 * already arrived are read. So the rejection waits for one more turn.
 */
export function within<T>(
  env: Pick<HubEnv, 'setTimeout' | 'clearTimeout' | 'nextTurn'>,
  promise: Promise<T>,
  ms: number,
  late: () => Error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = env.setTimeout(() => env.nextTurn(() => reject(late())), ms);
    promise.then(resolve, reject).finally(() => env.clearTimeout(timer));
  });
}

/** The platform's environment: Node, Bun, Deno, workers. */
export function platformEnv(): HubEnv {
  return {
    now: () => Date.now(),
    setTimeout(run, ms) {
      const handle: unknown = setTimeout(run, Math.min(ms, 2 ** 31 - 1)); // A longer timer would fire immediately.
      if (hasRef(handle)) handle.unref();
      return handle;
    },
    clearTimeout: (handle) => clearTimeout(handle as ReturnType<typeof setTimeout>), // Only handles of the lines above get here.
    nextTurn(run) {
      if (typeof setImmediate === 'function') setImmediate(run);
      else setTimeout(run, 0);
    },
    random: () => Math.random(),
    newId: () => crypto.randomUUID(),
    log(level, message, detail) {
      if (level === 'debug' && isProduction()) return;
      if (detail === undefined) console[level](`[edict] ${message}`);
      else console[level](`[edict] ${message}`, detail);
    },
  };
}
