// What a Suspense hook waits for: one promise for each entry, begun once, whoever asks and however often React tries again
// (D-REACT-6). A suspended component that never mounted keeps nothing, so it is kept here, by reference.

import type { Reference } from '@edict/core';
import type { EntryVersion } from './entryView.ts';
import { versionOf } from './entryView.ts';
import { refOf } from './untyped.ts';
import type { Source } from './source.ts';
import { noteThrown } from './errorReset.ts';

export interface Pending {
  readonly promise: Promise<void>;
  /** The moment when there was an answer, a failure, or no more hope of either; null until then. */
  doneAt: number | null;
  /** Why there will be no answer: a level that nobody registered, or a data layer that was disposed. */
  failure: { readonly error: unknown } | null;
}

/** By level. What is done stays until a component has mounted with it. */
const pendings = new WeakMap<Reference, Map<string, Pending>>();

/** A component that mounts so soon after an answer has waited for it; React may hold its commit back. */
const sameReadMs = 5000;

/** Whoever begins or ends to watch an entry uses it: right after either, this is now. */
const nowAt = (ref: Reference): number => versionOf(ref).usedAt ?? 0;

/** React asks such a promise at once, instead of waiting for a microtask. */
export const fulfilled = (promise: Promise<void>): Promise<void> =>
  Object.assign(promise, { status: 'fulfilled', value: undefined });

/** Whether a failure is the last word on the source's level. That of an item does not wait for the item's other levels. */
export const isLost = ({ kind, name, id, level, scope }: Source, version: EntryVersion): boolean =>
  version.hasFailed(level) &&
  !(kind === 'item' ? scope.layer.isItemLoading(name, id, level) : version.isLoading);

/** What a component has waited for, until it has mounted. */
export function doneOf(ref: Reference, level: string): Pending | null {
  const pending = pendings.get(ref)?.get(level);
  return pending === undefined || pending.doneAt === null ? null : pending;
}

/** Whether the source that mounts, and watches, shows what it has waited for: then its read was made (D-REACT-6). */
export function isServed(source: Source): boolean {
  const { ref, level } = source;
  const pending = ref === null ? null : doneOf(ref, level);
  if (ref === null || pending === null || pending.doneAt === null) return false;
  // Not at once: others of the same commit waited for it too, and StrictMode mounts twice.
  void Promise.resolve().then(() => {
    if (doneOf(ref, level) === pending) forget(ref, level);
  });
  // Until the mount nobody watched: what was evicted or outdated meanwhile was not fetched again.
  return (
    nowAt(ref) - pending.doneAt <= sameReadMs &&
    !versionOf(ref).isMarked(level) &&
    refOf(source.scope.layer, source) === ref
  );
}

/** Lets the next render ask again. */
export function forget(ref: Reference, level: string): void {
  pendings.get(ref)?.delete(level);
}

/** For the reset of an error boundary, which React shows the first alone of all that have failed below it. */
export function noteFailed(source: Source, ref: Reference): void {
  const { kind, name, id, scope, level } = source;
  const { meta } = source.version();
  const which = kind === 'item' ? [name, String(id), level] : [name, 'paramsKey' in meta && meta.paramsKey];
  noteThrown(scope.thrown, JSON.stringify(which), () => {
    if (doneOf(ref, level) !== null) forget(ref, level);
    // It may have recovered since; where it never began, or was evicted, a render that still shows it begins.
    if (source.version().hasFailed(level) && refOf(scope.layer, source) === ref) source.refresh();
  });
}

/** @param ref that of the source; @param isScattered React renders each component that waits in a task of its own */
export function pendingOf(source: Source, ref: Reference, isScattered: boolean): Pending {
  const known = pendings.get(ref) ?? new Map<string, Pending>();
  pendings.set(ref, known);
  const before = known.get(source.level);
  if (before !== undefined && (before.doneAt === null || before.failure !== null)) return before;
  const pending: Pending = {
    // In a microtask: a listener that is called while React renders must not set state.
    promise: new Promise((resolve) => void Promise.resolve().then(() => begin(resolve))),
    doneAt: null,
    failure: null,
  };
  known.set(source.level, pending);
  return pending;

  function begin(resolve: () => void): void {
    const isDone = (): boolean => {
      const version = versionOf(ref);
      return version.isFetched(source.level) || isLost(source, version);
    };
    let unwatch = (): void => undefined;
    const settle = (): void => {
      unwatch();
      pending.doneAt = nowAt(ref);
      if (pending.failure !== null || isLost(source, versionOf(ref))) noteFailed(source, ref);
      void fulfilled(pending.promise);
      resolve();
    };
    try {
      const { states } = source.scope;
      if (states?.owes(source) === true) states.takeRest(); // The boundary itself may not mount before this has its data.
      source.read(isScattered);
      // Also the first answer of a request that is followed up without end is an answer (D-FETCH-2).
      unwatch = source.watch(() => {
        if (isDone()) settle();
      });
      if (isDone()) return settle(); // Served at once: it does not wait for the item's other levels.
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
