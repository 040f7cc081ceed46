// The coalescing window of an adapter. It starts with the first change and lasts as long as the window of the data
// layer (D-DIR-5).

import type { DataLayer, Env } from '@edict/core';
import type { Internals } from '@edict/core/internal';
import { platformEnv } from '../platform/env.ts';

/** The window and the clock of an adapter. */
export interface GatheringOptions {
  /** Changes within this time, in milliseconds, cause one refetch. Default: `bulk.delayMs` of the data layer. */
  delayMs?: number | undefined;
  /** Clock and timers, for tests in simulated time. Default: the platform's, and the log of the data layer. */
  env?: (Pick<Env, 'now' | 'setTimeout' | 'clearTimeout'> & Partial<Pick<Env, 'log'>>) | undefined;
}

/** The parts of the environment that an adapter uses. */
export type AdapterEnv = Pick<Env, 'now' | 'setTimeout' | 'clearTimeout' | 'log'>;

export function envOf({ env }: GatheringOptions, { parts }: Internals): AdapterEnv {
  const timing = env ?? platformEnv();
  return {
    now: () => timing.now(),
    setTimeout: (run, ms) => timing.setTimeout(run, ms),
    clearTimeout: (handle) => timing.clearTimeout(handle),
    log: (...line) => (env?.log === undefined ? parts.env.log(...line) : env.log(...line)),
  };
}

export interface Gathering {
  /** Opens the window if it is closed. */
  readonly open: () => void;
  readonly end: () => void;
}

export function createGathering(
  dl: DataLayer,
  env: AdapterEnv,
  delayMs: number | undefined,
  close: () => void,
): Gathering {
  let timer: { handle: unknown } | null = null;
  return {
    open() {
      if (timer !== null) return;
      const run = (): void => {
        timer = null;
        close();
      };
      timer = { handle: env.setTimeout(run, delayMs ?? dl.state().bulk.delayMs) };
    },
    end() {
      if (timer !== null) env.clearTimeout(timer.handle);
      timer = null;
    },
  };
}
