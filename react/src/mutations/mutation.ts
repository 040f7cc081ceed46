// The runs of one `useMutation`, as a store. Nothing is shown before the server has confirmed it.

import type { DataLayer, JsonInit } from '@edict/core';
import { createJson, errorOf, internalsOf } from '@edict/core/internal';
import type { Store } from '../binding/useStore.ts';

/** When a run ends: see `useMutation`. */
export type Until = 'settled' | 'applied' | 'response';

/** The second argument of the function of a mutation. */
export interface MutationContext {
  /** `fetch` of the data layer. The run waits for the refetches that the directives of these responses cause. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /**
   * `json` of the data layer, for this run: sends `init.json` as the body (the method then defaults to POST), and returns the parsed body.
   * Rejects with an `HttpError` for a status other than 2xx.
   */
  readonly json: (url: string | URL, init?: JsonInit) => Promise<unknown>;
  /** Aborts when `reset` is called. Pass it to `fetch` where giving up is safe. Unmounting does not abort. */
  readonly signal: AbortSignal;
}

/** The function of a mutation. */
export type MutationFunction<I, O> = (input: I, context: MutationContext) => Promise<O> | O;

/** Called after a run has ended. A callback that throws is logged. */
export interface MutationCallbacks<I, O> {
  /** Receives the result of the function. */
  onSuccess?: ((result: O, input: I) => unknown) | undefined;
  /** Receives the error. A thrown value that is no `Error` is wrapped. */
  onError?: ((error: Error, input: I) => unknown) | undefined;
  /** Receives the result or the error; the other one is undefined or null. Called after `onSuccess` or `onError`. */
  onSettled?: ((result: O | undefined, error: Error | null, input: I) => unknown) | undefined;
}

/** The state of a mutation, as the hook returns it. */
export interface MutationState<I = unknown> {
  /** The inputs of the runs in progress, oldest first. */
  readonly pending: readonly I[];
  /** True until the last overlapping run has ended. */
  readonly isRunning: boolean;
  /** The error of the last failed run. Null after a new run or `reset`. A thrown value that is no `Error` is wrapped, with the value as `cause`. */
  readonly error: Error | null;
}

/** One run, with the options of the render that was committed last. */
export interface Run<I, O> extends MutationCallbacks<I, O> {
  readonly dl: DataLayer;
  readonly fn: MutationFunction<I, O>;
  readonly until: Until;
  readonly input: I;
}

export interface Mutation<I, O> extends Store<MutationState<I>> {
  readonly run: (run: Run<I, O>) => Promise<O>;
  readonly reset: () => void;
}

/** Counted before the function first awaits, so that no other component can send a mutation in between. */
const sentBy = (dl: DataLayer): number => internalsOf(dl)?.parts.mutations.count() ?? 0;

/** Resolves when the refetches of a response have settled. The callback runs in the same task as the notification of their data. */
function settled(dl: DataLayer, response: Response, callback: () => void): Promise<void> {
  const parts = internalsOf(dl)?.parts;
  if (parts === undefined) return dl.whenSettled(response).then(callback); // A wrapped data layer.
  const { waiters, mutations } = parts;
  return waiters.until(() => mutations.awaited(response), callback); // `then` would run it after React has rendered the data.
}

/** Logs where the data layer logs, or to the console for a wrapped data layer. */
function log(dl: DataLayer, level: 'warn' | 'error', message: string, detail?: unknown): void {
  const env = internalsOf(dl)?.parts.env;
  if (env === undefined) console[level](`[edict] useMutation: ${message}`, detail);
  else env.log(level, `useMutation: ${message}`, detail);
}

/** The run does not wait for it. */
async function call(dl: DataLayer, callback: () => unknown): Promise<void> {
  try {
    await callback();
  } catch (error) {
    log(dl, 'error', 'a callback failed.', error);
  }
}

export function createMutation<I, O>(): Mutation<I, O> {
  const listeners = new Set<() => void>();
  const runs = new Map<AbortController, I>();
  let state: MutationState<I> = { pending: [], isRunning: false, error: null };

  function show(error: Error | null): void {
    if (error === state.error && runs.size === state.pending.length) return;
    state = { pending: [...runs.values()], isRunning: runs.size > 0, error };
    for (const listener of listeners) listener();
  }

  /** @param end called when the run ends successfully */
  async function perform(
    { dl, fn, until, input }: Run<I, O>,
    signal: AbortSignal,
    end: () => void,
  ): Promise<O> {
    const requests: Promise<Response>[] = [];
    const sentBefore = sentBy(dl);
    let sentHere = 0;
    const fetch: MutationContext['fetch'] = (target, init) => {
      const before = sentBy(dl);
      const request = dl.fetch(target, init);
      sentHere += sentBy(dl) - before;
      requests.push(request);
      return request;
    };
    const result = fn(input, { fetch, json: createJson(fetch), signal });
    if (process.env.NODE_ENV !== 'production' && until === 'settled' && sentBy(dl) - sentBefore > sentHere)
      log(
        dl,
        'warn',
        'the function called fetch or json of the data layer, so the run does not wait for its refetches. ' +
          'Use fetch or json of the second argument.',
      );
    const output = await result;
    if (until !== 'response') {
      // The directives of a response are applied when `fetch` of the data layer resolves.
      const results = await Promise.allSettled(requests);
      if (until === 'settled') {
        let open = 1;
        const ended = (): void => {
          if (--open === 0) end();
        };
        const waits = results.flatMap((result) => {
          if (result.status === 'rejected') return [];
          open++;
          return settled(dl, result.value, ended);
        });
        ended();
        await Promise.all(waits);
        return output;
      }
    }
    end();
    return output;
  }

  async function run(given: Run<I, O>): Promise<O> {
    const { dl, input, onSuccess, onError, onSettled } = given;
    const controller = new AbortController();
    runs.set(controller, input);
    show(null);
    const end = (error: Error | null): void => {
      runs.delete(controller);
      show(error);
    };
    try {
      const output = await perform(given, controller.signal, () => end(state.error));
      void call(dl, () => onSuccess?.(output, input));
      void call(dl, () => onSettled?.(output, null, input));
      return output;
    } catch (thrown) {
      const error = errorOf(thrown);
      end(controller.signal.aborted ? state.error : error); // `reset` gave the run up, so its error is not shown.
      void call(dl, () => onError?.(error, input));
      void call(dl, () => onSettled?.(undefined, error, input));
      throw thrown;
    }
  }

  return {
    run(given) {
      const promise = run(given);
      promise.catch(() => undefined); // The error is in `error`. A component that shows it has handled it.
      return promise;
    },
    reset() {
      show(null);
      for (const controller of [...runs.keys()]) controller.abort();
    },
    getSnapshot: () => state,
    getServerSnapshot: () => state,
    subscribe(callback) {
      listeners.add(callback);
      callback(); // For changes while it was hidden in an <Activity>.
      return () => void listeners.delete(callback);
    },
  };
}
