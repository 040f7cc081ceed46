import type { Env } from './env.ts';

/** For errors that do not matter. */
export const ignore = (): void => undefined;

/** Logs that a function of the application failed. */
export const logFailure =
  ({ log }: Pick<Env, 'log'>, what: string) =>
  (error: unknown): void =>
    log('error', `${what} failed.`, error);

/**
 * Calls a function of the application, which may be async. `onError` receives what it throws or rejects with. Returns its result, or false if
 * it throws.
 */
export function call<A>(run: (given: A) => unknown, onError: (error: unknown) => void, given?: A): unknown {
  try {
    const result = run(given as A) as PromiseLike<unknown> | null | undefined; // Only a function without a parameter is called without `given`.
    if (typeof result?.then === 'function') void Promise.resolve(result).catch(onError);
    return result;
  } catch (error) {
    onError(error);
    return false;
  }
}

/** Adds a member to a set. Returns a function that removes it. */
export function addTo<T>(set: Set<T>, member: T): () => void {
  set.add(member);
  return () => void set.delete(member);
}
