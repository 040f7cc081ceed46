// One mutation as a hook instance runs it: no optimism, only what the server said (D-REACT-8).

import type { DataLayer } from '@edict/core';
import type { Store } from '../binding/source.ts';

/** When a run has ended: at the function's result, when its directives are applied, or when their refetches have settled. */
export type Until = 'response' | 'applied' | 'settled';

const untils: readonly unknown[] = ['response', 'applied', 'settled'] satisfies Until[];

/** Throws a `TypeError` for what no run could do anything with. */
export function checkMutation(fn: unknown, until: unknown): void {
  if (typeof fn !== 'function') throw new TypeError('useMutation: the first argument must be a function');
  if (!untils.includes(until))
    throw new TypeError(`useMutation: until must be ${untils.join(' or ')}, got ${JSON.stringify(until)}`);
}

/** What the function of a mutation gets beside its input. */
export interface MutationContext {
  /** `fetch` of the data layer, on account of this run: what its answers direct is what the run waits for. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Aborts when `reset` is called; hand it to `fetch` where giving up is safe. Unmounting does not abort. */
  readonly signal: AbortSignal;
}

/** The function of a mutation. */
export type MutationFunction<I, O> = (input: I, context: MutationContext) => Promise<O> | O;

/** What the hook shows. */
export interface MutationState {
  /** Until the last of the overlapping runs has ended. */
  readonly isRunning: boolean;
  /** What the last failed run was rejected with; null after a new run or `reset`. */
  readonly error: unknown;
}

export interface Mutation<I, O> extends Store<MutationState> {
  readonly run: (dl: DataLayer, fn: MutationFunction<I, O>, until: Until, input: I) => Promise<O>;
  readonly reset: () => void;
}

export function createMutation<I, O>(): Mutation<I, O> {
  const listeners = new Set<() => void>();
  const runs = new Set<AbortController>();
  let state: MutationState = { isRunning: false, error: null };

  function show(error: unknown): void {
    const isRunning = runs.size > 0;
    if (isRunning === state.isRunning && Object.is(error, state.error)) return;
    state = { isRunning, error };
    for (const listener of listeners) listener();
  }

  async function perform(
    dl: DataLayer,
    fn: MutationFunction<I, O>,
    until: Until,
    input: I,
    signal: AbortSignal,
  ): Promise<O> {
    const answers: Promise<Response>[] = [];
    const output = await fn(input, {
      signal,
      fetch(target, init) {
        const answer = dl.fetch(target, init);
        answers.push(answer);
        return answer;
      },
    });
    if (until === 'response') return output;
    // An answer's directives are applied when `fetch` of the data layer resolves; one that failed has none.
    for (const result of await Promise.allSettled(answers)) {
      if (until === 'settled' && result.status === 'fulfilled') await dl.whenSettled(result.value);
    }
    return output;
  }

  async function run(dl: DataLayer, fn: MutationFunction<I, O>, until: Until, input: I): Promise<O> {
    const controller = new AbortController();
    runs.add(controller);
    show(null);
    try {
      const output = await perform(dl, fn, until, input, controller.signal);
      runs.delete(controller);
      show(state.error);
      return output;
    } catch (error) {
      runs.delete(controller);
      // Who has given the run up does not want to see how it ended.
      show(controller.signal.aborted ? state.error : error);
      throw error;
    }
  }

  return {
    run(dl, fn, until, input) {
      const promise = run(dl, fn, until, input);
      // The error is in `error`: who only looks there has handled it.
      promise.catch(() => undefined);
      return promise;
    },
    reset() {
      const given = [...runs];
      show(null);
      for (const controller of given) controller.abort();
    },
    getSnapshot: () => state,
    getServerSnapshot: () => state,
    subscribe(callback) {
      listeners.add(callback);
      callback(); // What moved while hidden in an <Activity>: React before 19.3 does not look.
      return () => void listeners.delete(callback);
    },
  };
}
