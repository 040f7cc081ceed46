// Calls a server action and applies its directives.

import { useDL, useMutation, type MutationState, type UseMutationOptions } from '@edict/react';
import { useCallback } from 'react';
import type { ActionResponse } from './action.ts';

/** What `useServerAction` returns. */
export interface ServerActionResult<A extends readonly unknown[], R> extends MutationState<A> {
  /**
   * Calls the action. Resolves to the return value of its function, and rejects with its error. If the action
   * redirects, it rejects with what Next.js throws then, which `error` and the callbacks do not show. The function
   * is the same in every render.
   */
  readonly run: (...args: A) => Promise<R>;
  /** Clears `error`. */
  readonly reset: () => void;
}

/** After a redirect, the call of an action rejects although nothing failed. */
const failureOf = (error: Error | null): Error | null =>
  error !== null && 'digest' in error && String(error.digest).startsWith('NEXT_REDIRECT') ? null : error;

/**
 * Calls a server action of `live.action` (or another one that returns an `ActionResponse`), applies the directives that its response carries, and by
 * default waits until the screen shows what it changed.
 *
 * ```tsx
 * import { useServerAction, type ActionResponse } from '@edict/next';
 *
 * declare function reopen(id: number): Promise<ActionResponse<void>>; // From a file with 'use server'.
 *
 * export function Reopen({ id }: { id: number }) {
 *   const action = useServerAction(reopen);
 *   return <button disabled={action.isRunning} onClick={() => void action.run(id)}>Reopen</button>;
 * }
 * ```
 */
export function useServerAction<A extends readonly unknown[], R>(
  action: (...args: A) => Promise<ActionResponse<R>>,
  options?: UseMutationOptions<A, R>,
): ServerActionResult<A, R> {
  const dl = useDL();
  const waits = options?.until !== 'response' && options?.until !== 'applied';
  const {
    run: runWith,
    error,
    ...rest
  } = useMutation<A, R>(
    async (args) => {
      const response = (await action(...args)) as ActionResponse<R> | undefined; // JavaScript can pass another action.
      if (!Array.isArray(response?.directives))
        throw new TypeError(
          '[edict] useServerAction: the action must return { result, directives }, as one of live.action does.',
        );
      const { result, directives } = response;
      const settled = dl.applyDirectives(directives, { path: 'pull' });
      if (waits) await settled;
      return result;
    },
    {
      ...options,
      onError: (error, args) => failureOf(error) && options?.onError?.(error, args),
      onSettled: (result, error, args) => options?.onSettled?.(result, failureOf(error), args),
    },
  );
  const run = useCallback((...args: A) => (runWith as (args: A) => Promise<R>)(args), [runWith]);
  return { ...rest, error: failureOf(error), run };
}
