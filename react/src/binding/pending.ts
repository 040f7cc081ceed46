// The promises that Suspense hooks wait for. There is one per entry and level, regardless of the number of waiting
// components and render attempts. A component that suspended before it mounted keeps no state, so the promises are
// stored by reference.

import type { Reference } from '@edict/core';
import { type EntryView, entryView, isLevelMarked } from '@edict/core/internal';
import { hasLevelFailed, isLevelFetched } from './entryView.ts';
import { noteThrown } from './errorReset.ts';
import type { Source } from './source.ts';
import { refOf } from './untyped.ts';

export interface Pending {
  readonly promise: Promise<void>;
  /** The time of a response or a failure, or of the end of the wait without either. Null until then. */
  doneAt: number | null;
  /** The reason why no response will arrive: the level is not registered, or the data layer was disposed. */
  failure: { readonly error: unknown } | null;
}

/** The promises by level. One stays until a component has mounted with its response. */
const pendings = new WeakMap<Reference, Map<string, Pending>>();

/**
 * A component that mounts within this time after a response counts as having waited for it. React may delay its
 * commit.
 */
const sameReadMs = 5000;

/** React reads a promise with these fields immediately, instead of waiting for a microtask. */
export const fulfilled = (promise: Promise<void>): Promise<void> =>
  Object.assign(promise, { status: 'fulfilled', value: undefined });

/** The current time of the data layer. It also counts as the time of use for an entry that is watched. */
function nowAt({ scope }: Source, ref: Reference): number {
  scope.dl.onRefChange(ref, () => undefined)();
  return entryView(ref).usedAt as number; // It was just used.
}

/** Whether the level has failed and is not being requested again. Requests for other levels of the item do not count. */
export const isLost = ({ key, scope }: Source, version: EntryView): boolean =>
  hasLevelFailed(version, key) &&
  !(key.kind === 'item' ? scope.dl.isItemLoading(key.name, key.id, key.level) : version.isLoading);

/** The settled promise that a component has waited for. Null after the component has mounted. */
export function doneOf(ref: Reference, level: string): Pending | null {
  const pending = pendings.get(ref)?.get(level);
  return pending === undefined || pending.doneAt === null ? null : pending;
}

/** Whether a source that mounts shows the data that its component waited for. Then the entry was already read. */
export function isServed(source: Source): boolean {
  const { ref, key } = source;
  const pending = ref === null ? null : doneOf(ref, key.level);
  if (ref === null || pending === null || pending.doneAt === null) return false;
  // This happens later, because other components of the same commit waited for it too, and StrictMode mounts
  // twice.
  void Promise.resolve().then(() => forget(ref, key.level));
  // Before the mount, no component watched the entry, so it may have been marked stale without a request. Eviction
  // marks it too.
  return nowAt(source, ref) - pending.doneAt <= sameReadMs && !isLevelMarked(ref, key.level);
}

/** The next render requests the level again. */
export function forget(ref: Reference, level: string): void {
  pendings.get(ref)?.delete(level);
}

/**
 * Stores a failed or stale level for the reset of an error boundary. React passes only the first of several errors to a
 * boundary.
 */
export function noteDue(source: Source, ref: Reference): void {
  const { key, scope } = source;
  const { meta } = entryView(ref);
  const which = 'paramsKey' in meta ? [key.name, meta.paramsKey] : [key.name, String(key.id), key.level];
  noteThrown(scope.thrown, JSON.stringify(which), () => {
    forget(ref, key.level);
    // The entry may have recovered. If its request never began or the entry was evicted, the next render that
    // shows it starts a request.
    if (refOf(scope.dl, key) !== ref) return;
    if (hasLevelFailed(entryView(ref), key)) source.refresh();
    else if (isLevelMarked(ref, key.level)) source.read(); // Joins a request that is in flight.
  });
}

/** @param isBatchable React renders each waiting component in a separate task */
export function pendingOf(source: Source, ref: Reference, isBatchable: boolean): Pending {
  const { key, scope } = source;
  const known = pendings.get(ref) ?? new Map<string, Pending>();
  pendings.set(ref, known);
  const before = known.get(key.level);
  if (before !== undefined && (before.doneAt === null || before.failure !== null)) return before;
  const pending: Pending = {
    // This runs in a microtask, because a request that starts during render notifies listeners, which must not set
    // state then.
    promise: new Promise((resolve) => void Promise.resolve().then(() => begin(resolve))),
    doneAt: null,
    failure: null,
  };
  known.set(key.level, pending);
  return pending;

  function begin(resolve: () => void): void {
    const isDone = (): boolean => {
      const version = entryView(ref);
      return isLevelFetched(version, key) || isLost(source, version);
    };
    let unwatch = (): void => undefined;
    const settle = (): void => {
      unwatch();
      pending.doneAt = nowAt(source, ref);
      if (pending.failure !== null || isLost(source, entryView(ref))) noteDue(source, ref);
      void fulfilled(pending.promise);
      resolve();
    };
    try {
      scope.states?.takeRest(); // The boundary may not mount before this component has its data.
      source.read(isBatchable);
      // The first response ends the wait, because follow-up requests could continue indefinitely.
      unwatch = scope.dl.onRefChange(ref, () => {
        if (isDone()) settle();
      });
      if (isDone()) return settle(); // It does not wait for the item's other levels.
      void scope.dl.whenSettled(ref).then(() => {
        if (!isDone()) {
          pending.failure = {
            error: new Error(`[edict] "${key.name}" cannot be fetched: the data layer was disposed.`),
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
