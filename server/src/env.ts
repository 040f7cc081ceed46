// The hub's world: clock, timers, chance, ids, log. The only file of this package that names the platform's.

/** What the hub needs of the world. Every member looks the platform's function up when it is called. */
export interface HubEnv {
  /** Milliseconds since the epoch. */
  now(): number;
  /** A timer that keeps no process alive. It waits for 24 days at most. */
  setTimeout(run: () => void, ms: number): unknown;
  /** Cancels a timer. */
  clearTimeout(handle: unknown): void;
  /** Runs in a later turn of the event loop, after input and output had theirs. */
  nextTurn(run: () => void): void;
  /** At least 0, below 1. */
  random(): number;
  /** A new unique id, such as a UUID. */
  newId(): string;
  /** Takes what an operator should know. */
  log(level: LogLevel, message: string, detail?: unknown): void;
}

/** How serious a line of the log is. */
export type LogLevel = 'debug' | 'warn' | 'error';

/** A log of the application's that throws breaks nothing: what it was told, and that it threw, goes to the world's. */
export function guardedLog(world: HubEnv, own: HubEnv['log'] | undefined): HubEnv['log'] {
  if (own === undefined) return world.log;
  return (level, message, detail) => {
    try {
      own(level, message, detail);
    } catch (error) {
      world.log('error', 'The option "log" threw', error);
      world.log(level, message, detail);
    }
  };
}

/** Whether the platform says that it runs in production; one without `process` does not. */
export function isProduction(): boolean {
  return typeof process !== 'undefined' && process.env['NODE_ENV'] === 'production';
}

/** Node, Bun and Deno return an object; a worker returns a number, and ends no process. */
const canLetGo = (timer: unknown): timer is { ref(): void; unref(): void } =>
  typeof timer === 'object' && timer !== null && 'unref' in timer;

/** Keeps the process alive until this timer has run or was cleared: somebody waits for what it brings. */
export function hold(timer: unknown): void {
  if (canLetGo(timer)) timer.ref();
}

/** The platform's environment: Node, Bun, Deno, workers. */
export function platformEnv(): HubEnv {
  return {
    now: () => Date.now(),
    setTimeout(run, ms) {
      const handle: unknown = setTimeout(run, Math.min(ms, 2 ** 31 - 1)); // Beyond that platforms do not wait at all.
      if (canLetGo(handle)) handle.unref();
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
