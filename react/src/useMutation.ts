import { describe } from '@edict/core/internal';
import * as React from 'react';
import { checkOptions } from './binding/checkOptions.ts';
import { useLatest } from './binding/useLatest.ts';
import { useStore } from './binding/useStore.ts';
import { useDL } from './DLProvider.tsx';
import type { MutationCallbacks, MutationFunction, MutationState, Until } from './mutations/mutation.ts';
import { createMutation } from './mutations/mutation.ts';

/** Options of `useMutation`. */
export interface UseMutationOptions<I = unknown, O = unknown> extends MutationCallbacks<I, O> {
  /**
   * When `run` resolves and `isRunning` ends. `response`: when the function has resolved. `applied`: when its
   * directives are applied too. `settled` (default): when the refetches that its directives caused have settled
   * too.
   */
  until?: Until | undefined;
}

/** What `useMutation` returns. */
export interface MutationResult<I, O> extends MutationState<I> {
  /**
   * Runs the function. Resolves to its result, and rejects with its error. The error is also in `error`, so the promise can be ignored. The same
   * function in every render. A run completes when the component unmounts.
   */
  readonly run: (...input: undefined extends I ? [input?: I] : [input: I]) => Promise<O>;
  /** Clears `error`, and aborts the signals of the runs in progress. Their errors are not shown. */
  readonly reset: () => void;
}

/**
 * Runs a mutation, and by default waits until the screen shows its effects. Nothing is shown before the server has
 * confirmed it.
 *
 * ```tsx
 * import { useMutation } from '@edict/react';
 *
 * function CloseButton({ id }: { id: number }) {
 *   const close = useMutation((_: void, { json }) => json(`/api/tickets/${id}/close`, { method: 'POST' }));
 *   return <button disabled={close.isRunning} onClick={() => void close.run()}>{close.error?.message ?? 'Close'}</button>;
 * }
 * ```
 */
export function useMutation<I = void, O = unknown>(
  fn: MutationFunction<I, O>,
  options?: UseMutationOptions<I, O>,
): MutationResult<I, O> {
  const dl = useDL();
  if (process.env.NODE_ENV !== 'production') check(fn, options);
  const [mutation] = React.useState(createMutation<I, O>);
  const latest = useLatest({ ...options, dl, fn, until: options?.until ?? 'settled' });
  const run = React.useCallback(
    // The type of `run` allows no argument only if `I` includes undefined.
    (...[input]: [input?: I]) => mutation.run({ ...latest.current, input: input as I }),
    [latest, mutation],
  );
  const { pending, isRunning, error } = useStore(mutation);
  return { run, pending, isRunning, error, reset: mutation.reset };
}

const untils: readonly unknown[] = ['settled', 'applied', 'response'] satisfies Until[];

function check(fn: unknown, options: { until?: unknown } | undefined): void {
  if (typeof fn !== 'function')
    throw new TypeError(
      `[edict] useMutation: the first argument must be a function, but is ${describe(fn)}.`,
    );
  checkOptions('useMutation', options, 'until onSuccess onError onSettled');
  const { until = 'settled' } = options ?? {};
  if (!untils.includes(until))
    throw new TypeError(
      `[edict] useMutation: until must be ${untils.join(', ')}, but is ${describe(until)}.`,
    );
}
