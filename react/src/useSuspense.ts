// The Suspense hooks: data is never null. They wait only while there is no data, and throw only then (D-REACT-6).

import type { CollectionData, CollectionName, CollectionParams, Id, Reference, TypeName } from '@edict/core';
import * as React from 'react';
import { useScope } from './DLProvider.tsx';
import type { Pending } from './binding/pending.ts';
import { doneOf, fulfilled, isLost, isServed, noteFailed, pendingOf } from './binding/pending.ts';
import type {
  CollectionSnapshot,
  GivenLevel,
  GivenLevelData,
  ItemSnapshot,
  SelectOptions,
  UseSuspenseCollectionOptions,
} from './types.ts';
import { useCollectionSource, useItemSource, useSourceState } from './binding/useSource.ts';
import { Snapshot } from './binding/snapshot.ts';
import type { Source } from './binding/source.ts';
import type { ReadMode } from './binding/readMode.ts';
import { readModeOf } from './binding/readMode.ts';
import type { InstanceState } from './binding/instanceState.ts';
import { storeOf } from './binding/storeOf.ts';
import { useStore } from './binding/useStore.ts';

const mode: ReadMode = { ...readModeOf(true, false, 'plain'), suspends: true, isServed };

/** Not a named import: React 17 and 18 have none, and a bundler would complain (D-REACT-11). */
const useName = 'use';
const use = (React as unknown as { [useName]?: (promise: Promise<void>) => void })[useName];

/**
 * Whether a test renders inside `act`. There React never comes back to a `use` that was pending when an `act` that nobody awaits
 * ended, as that of a plain `render`; it does come back to a promise that was thrown.
 */
const isActing = (): boolean =>
  (globalThis as { readonly IS_REACT_ACT_ENVIRONMENT?: unknown }).IS_REACT_ACT_ENVIRONMENT === true;

/** Whether what is waited for is thrown. */
const isThrown = (): boolean => use === undefined || isActing(); // React 18, and tests

/** Whether React renders the next sibling of what waits in another task: not after what was thrown, nor on a server. */
const isScattered = (): boolean => !isThrown() && typeof window !== 'undefined';

/** `use` is called in every render, so that React sees one order of hooks; this one is known to be there already. */
const there: Pending = { promise: fulfilled(Promise.resolve()), doneAt: 0, failure: null };

/** The error to throw: the level's own, since `cause` is that of whichever level failed last. */
function errorOf(source: Source, snapshot: Snapshot): unknown {
  const version = Snapshot.version(snapshot);
  const { meta } = version;
  const message = 'levelErrors' in meta ? (meta.levelErrors[source.level] ?? null) : meta.error;
  return version.causeOf(source.level) ?? new Error(message ?? 'the fetch failed');
}

/** It goes to the error boundary. */
function failed(source: Source, ref: Reference, error: unknown): never {
  noteFailed(source, ref);
  throw error;
}

/**
 * What the render has to wait for; throws what there is to throw. No hook, but called like one: a compiler must not keep its
 * answer, since a snapshot moves on under it.
 */
function usePending(source: Source, snapshot: Snapshot): Pending {
  const { ref } = source;
  const version = Snapshot.version(snapshot);
  if (ref === null) return there;
  // React replays the render that suspended, and wants to see the promise that it waited for.
  if (version.isFetched(source.level)) return doneOf(ref, source.level) ?? there;
  // What a boundary has not taken over yet may be the answer.
  if (isLost(source, version) && source.scope.states?.owes(source) !== true)
    failed(source, ref, errorOf(source, snapshot));
  const pending = pendingOf(source, ref, isScattered());
  if (pending.failure !== null) failed(source, ref, pending.failure.error);
  return pending;
}

/** Suspends while there is no data. */
function useData(source: Source, snapshot: Snapshot, { committed }: InstanceState<Source>): void {
  const { promise, doneAt } = usePending(source, snapshot);
  // Nobody gets the snapshot of before the data: one that is kept would go on showing the moment when it was made (D-REACT-3).
  if (doneAt === null && committed !== source) source.forgetShown();
  if (doneAt === null && isThrown()) throw promise;
  use?.(promise);
}

/**
 * As `useItem`, for a component that is only rendered with data: it suspends until the level has been fetched, and an error
 * goes to the nearest error boundary while there is none. A refetch neither suspends nor throws. React 18 and later.
 */
export function useSuspenseItem<
  T extends TypeName,
  L extends GivenLevel<T> = undefined,
  R = GivenLevelData<T, L>,
>(type: T, id: Id, level?: L, options?: SelectOptions<GivenLevelData<T, L>, R>): ItemSnapshot<R> {
  const isMissing = id === null || id === undefined; // Its type forbids it; waiting for nothing would never end.
  if (isMissing)
    throw new TypeError(`useSuspenseItem("${type}"): there is no id; render it only where there is one`);
  const scope = useScope();
  const memory = useSourceState();
  const source = useItemSource(memory, scope, type, id, level, mode, false);
  const snapshot = useStore(storeOf(source, memory, options));
  useData(source, snapshot, memory);
  // The snapshot's data is what the level's payload or the select gives: the register's word for it.
  return snapshot as unknown as ItemSnapshot<R>;
}

/** As `useCollection`, for a component that is only rendered with ids; as `useSuspenseItem` otherwise. */
export function useSuspenseCollection<C extends CollectionName, R = CollectionData>(
  name: C,
  options?: UseSuspenseCollectionOptions<CollectionParams<C>, R>,
): CollectionSnapshot<R, CollectionParams<C>> {
  const scope = useScope();
  const memory = useSourceState();
  // Params are objects: the register says so.
  const params = options?.params as object | null | undefined;
  const source = useCollectionSource(memory, scope, name, params, mode, false);
  const snapshot = useStore(storeOf(source, memory, options));
  useData(source, snapshot, memory);
  // The snapshot's data is what the collection or the select gives.
  return snapshot as unknown as CollectionSnapshot<R, CollectionParams<C>>;
}
