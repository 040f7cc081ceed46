import * as React from 'react';
import { useDL } from './DLProvider.tsx';
import type { MutationFunction, MutationState, Until } from './mutations/mutation.ts';
import { checkMutation, createMutation } from './mutations/mutation.ts';
import { useLatest } from './binding/useLatest.ts';
import { useStore } from './binding/useStore.ts';

/** Options of `useMutation`. */
export interface UseMutationOptions {
  /**
   * When `run` resolves and `isRunning` ends: as soon as the function has resolved (`response`), when its directives are
   * applied (`applied`, default), or when the refetches of this run's directives have settled too (`settled`).
   */
  until?: Until | undefined;
}

/** What `useMutation` returns. */
export interface MutationResult<I, O> extends MutationState {
  /**
   * Runs the function. Resolves to its result; rejects with its error, which is also in `error`, so the promise may be left
   * alone. The same function in every render; it goes on when the component unmounts.
   */
  readonly run: (...input: undefined extends I ? [input?: I] : [input: I]) => Promise<O>;
  /** Clears `error`, and gives up the runs under way: their signals abort, and their errors are not shown. */
  readonly reset: () => void;
}

/**
 * Runs a mutation and waits for what it changed (D-REACT-8). Nothing is shown before the server has said so. Throws while
 * rendering for an `until` that there is not.
 *
 * ```tsx
 * import { useMutation } from '@edict/react';
 *
 * function Close({ id }: { id: number }) {
 *   const close = useMutation(
 *     async (reason: string, { fetch }) => {
 *       const response = await fetch(`/api/tickets/${id}/close`, { method: 'POST', body: reason });
 *       if (!response.ok) throw new Error(`The ticket could not be closed (${response.status}).`);
 *     },
 *     { until: 'settled' }, // The button is enabled again together with what changed.
 *   );
 *   return (
 *     <button disabled={close.isRunning} onClick={() => void close.run('done')}>
 *       {close.error instanceof Error ? close.error.message : 'Close'}
 *     </button>
 *   );
 * }
 * ```
 */
export function useMutation<I = void, O = unknown>(
  fn: MutationFunction<I, O>,
  options?: UseMutationOptions,
): MutationResult<I, O> {
  const dl = useDL();
  const until = options?.until ?? 'applied';
  checkMutation(fn, until);
  const [mutation] = React.useState(createMutation<I, O>);
  const latest = useLatest({ dl, fn, until });
  const run = React.useCallback(
    (...[input]: [input?: I]) => {
      const { dl, fn, until } = latest.current;
      // Left out only where `I` takes undefined: the type of `run` sees to it.
      return mutation.run(dl, fn, until, input as I);
    },
    [latest, mutation],
  );
  const { isRunning, error } = useStore(mutation);
  return { run, isRunning, error, reset: mutation.reset };
}
