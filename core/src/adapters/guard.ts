// Functions of the application may throw. The guard reports the function that threw, and the adapter continues.

import type { Env } from '@edict/core';

export interface Guard {
  /** Returns the result of `call`, or `otherwise` if it throws. If the result is a promise, it may reject. */
  readonly run: <T>(culprit: string, call: () => T, otherwise: T) => T;
  readonly report: (culprit: string, error: unknown) => void;
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function';

/** @param caller the adapter's name, which starts each message */
export function createGuard(caller: string, log: Env['log']): Guard {
  const report = (culprit: string, error: unknown): void => {
    log('error', `${caller}: ${culprit} threw`, error);
  };
  return {
    report,
    run(culprit, call, otherwise) {
      try {
        const value = call();
        if (isPromise(value)) value.then(undefined, (error: unknown) => report(culprit, error));
        return value;
      } catch (error) {
        report(culprit, error);
        return otherwise;
      }
    },
  };
}
