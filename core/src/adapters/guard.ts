// What an application hands to an adapter may throw. Then it is said whose fault it is, and nothing else is lost with it.

import type { Env } from '@edict/core';

export interface Guard {
  /** What it returns, or something else where it throws. A promise that it returns may reject. */
  readonly run: <T>(culprit: string, call: () => T, otherwise: T) => T;
  readonly report: (culprit: string, error: unknown) => void;
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function';

/** @param caller what stands before the culprit, such as `connectSwr` */
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
