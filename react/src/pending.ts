// What a Suspense hook waits for: one promise for each entry, begun once, whoever asks and however often React tries again
// (D-REACT-6). A suspended component that never mounted keeps nothing, so it is kept here, by reference.

import type { Reference } from '@edict/core';
import { lookOf } from './facts.ts';
import { refOf } from './layer.ts';
import type { Source } from './source.ts';

export interface Pending {
  readonly promise: Promise<void>;
  /** Why there will be no answer: a level that nobody registered, or a data layer that was disposed. */
  failure: { readonly error: unknown } | null;
}

const pendings = new WeakMap<Reference, Map<string, Pending>>();

/** Lets the next render ask again. */
export function forget(ref: Reference, level: string): void {
  pendings.get(ref)?.delete(level);
}

/** @param ref that of the source */
export function pendingOf(source: Source, ref: Reference): Pending {
  const known = pendings.get(ref) ?? new Map<string, Pending>();
  pendings.set(ref, known);
  const before = known.get(source.level);
  if (before !== undefined) return before;
  const pending: Pending = {
    // In a microtask: a listener that is called while React renders must not set state.
    promise: new Promise((resolve) => queueMicrotask(() => begin(resolve))),
    failure: null,
  };
  known.set(source.level, pending);
  return pending;

  function begin(resolve: () => void): void {
    const isDone = (): boolean => {
      const look = lookOf(ref);
      return look.isFetched(source.level) || (look.hasFailed(source.level) && !look.isLoading);
    };
    let unwatch = (): void => undefined;
    const settle = (): void => {
      unwatch();
      if (pending.failure === null) known.delete(source.level);
      resolve();
    };
    try {
      source.read();
      // Also the first answer of a request that is followed up without end is an answer (D-FETCH-2).
      unwatch = source.watch(() => {
        if (isDone()) settle();
      });
      void source.scope.layer.whenSettled(ref).then(() => {
        if (!isDone() && refOf(source.scope.layer, source) === ref) {
          pending.failure = {
            error: new Error(`[edict] "${source.name}" has no answer: the data layer was disposed.`),
          };
        }
        settle();
      });
    } catch (error) {
      pending.failure = { error };
      settle();
    }
  }
}
