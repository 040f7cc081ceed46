// The coalescing window of an adapter: as long as the data layer's own, from the first change (D-DIR-5).

import type { DataLayer, Env } from '@edict/core';
import { platformEnv } from '../env.ts';

/** The clock of an adapter. */
export interface GatheringOptions {
  /** Milliseconds in which changes become one refetch. Default: `bulk.delayMs` of the data layer. */
  delayMs?: number;
  /** For tests in simulated time. Default: the platform's. */
  env?: Pick<Env, 'now' | 'setTimeout' | 'clearTimeout'>;
}

export interface Gathering {
  /** Opens the window unless it is open. */
  readonly open: () => void;
  readonly isOpen: () => boolean;
  readonly now: () => number;
  readonly end: () => void;
}

export function createGathering(dl: DataLayer, options: GatheringOptions, close: () => void): Gathering {
  const env = options.env ?? platformEnv();
  let timer: { handle: unknown } | null = null;
  return {
    open() {
      if (timer !== null) return;
      const run = (): void => {
        timer = null;
        close();
      };
      timer = { handle: env.setTimeout(run, options.delayMs ?? dl.state().bulk.delayMs) };
    },
    isOpen: () => timer !== null,
    now: () => env.now(),
    end() {
      if (timer !== null) env.clearTimeout(timer.handle);
      timer = null;
    },
  };
}
