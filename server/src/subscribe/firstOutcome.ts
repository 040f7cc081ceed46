// Waits for the first of several outcomes: a result, a time limit, or the client that leaves.

import type { HubEnv } from '../env.ts';

/** A wait for one outcome. */
export interface FirstOutcome<T> {
  /** Never rejects. */
  readonly outcome: Promise<T>;
  /** Settles the wait. Only the first call counts. */
  readonly settle: (outcome: T) => void;
  readonly isSettled: () => boolean;
  /** Settles the wait with `late()` after `ms`, unless it is settled before. */
  readonly limit: (ms: number, late: () => T) => void;
  /** Removes the time limit. */
  readonly unlimit: () => void;
}

/** @param onSettled called with the outcome before the promise resolves */
export function firstOutcome<T>(
  env: Pick<HubEnv, 'setTimeout' | 'clearTimeout'>,
  onSettled: (outcome: T) => void,
): FirstOutcome<T> {
  const { promise, resolve } = deferred<T>();
  let isSettled = false;
  let timer: unknown = null;

  function unlimit(): void {
    if (timer !== null) env.clearTimeout(timer);
    timer = null;
  }

  function settle(result: T): void {
    if (isSettled) return;
    isSettled = true;
    unlimit();
    onSettled(result);
    resolve(result);
  }

  return {
    outcome: promise,
    settle,
    isSettled: () => isSettled,
    limit(ms, late) {
      timer = env.setTimeout(() => settle(late()), ms);
    },
    unlimit,
  };
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}
