// Waiting for the first of several outcomes: an answer, the end of a time limit, whoever leaves.

import type { HubEnv } from '../env.ts';

/** A wait for one outcome. */
export interface Wait<T> {
  /** Never rejects. */
  readonly outcome: Promise<T>;
  /** Ends it. Only the first outcome counts. */
  readonly settle: (outcome: T) => void;
  readonly isOver: () => boolean;
  /** Ends it with what is made then, unless something else does within so many milliseconds. */
  readonly limit: (ms: number, late: () => T) => void;
  /** Takes the limit away. */
  readonly unlimit: () => void;
}

/** @param onOver told of the outcome, before whoever waits for it */
export function createWait<T>(
  env: Pick<HubEnv, 'setTimeout' | 'clearTimeout'>,
  onOver: (outcome: T) => void,
): Wait<T> {
  let resolve: (outcome: T) => void = () => {};
  const outcome = new Promise<T>((done) => (resolve = done));
  let isOver = false;
  let timer: unknown = null;

  function unlimit(): void {
    if (timer !== null) env.clearTimeout(timer);
    timer = null;
  }

  function settle(result: T): void {
    if (isOver) return;
    isOver = true;
    unlimit();
    onOver(result);
    resolve(result);
  }

  return {
    outcome,
    settle,
    isOver: () => isOver,
    limit(ms, late) {
      timer = env.setTimeout(() => settle(late()), ms);
    },
    unlimit,
  };
}
