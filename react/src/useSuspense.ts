// The Suspense hooks: `data` is never null, except for a nullable payload. They wait, or throw to the error boundary, only while there is no data.

import type {
  CollectionData,
  CollectionDefinition,
  CollectionName,
  CollectionParams,
  DataLayer,
  Id,
  ItemDefinition,
  LevelsOf,
  CollectionArguments,
  Reference,
  TypeName,
} from '@edict/core';
import { type EntryView, internalsOf, isLevelMarked, nameOf } from '@edict/core/internal';
import { checkOptions } from './binding/checkOptions.ts';
import { isLevelFetched } from './binding/entryView.ts';
import type { Pending } from './binding/pending.ts';
import { doneOf, fulfilled, isLost, isServed, noteDue, pendingOf } from './binding/pending.ts';
import type { Shown } from './binding/snapshot.ts';
import type { Source } from './binding/source.ts';
import { collectionKey, itemKey, type Key, levelOf, optionsOf } from './binding/untyped.ts';
import { useEntry } from './binding/useSource.ts';
import { memberOfReact } from './binding/useStore.ts';
import { useDL } from './DLProvider.tsx';
import type {
  CollectionSnapshot,
  ItemSnapshot,
  LevelArgumentData,
  SelectOptions,
  UseSuspenseCollectionOptions,
} from './types.ts';

/** React 17 and 18 do not export it. */
const use = /* @__PURE__ */ memberOfReact('use') as ((promise: Promise<void>) => void) | undefined;

/**
 * Whether a test renders inside `act`. React does not return to a `use` that was pending when an `act` ended that no test awaits, such as that of
 * a plain `render`. It does return to a thrown promise.
 */
const isActing = (): boolean =>
  (globalThis as { readonly IS_REACT_ACT_ENVIRONMENT?: unknown }).IS_REACT_ACT_ENVIRONMENT === true;

/** Whether the promise is thrown: on React 18, and in tests. */
const isThrown = (): boolean => use === undefined || isActing();

/**
 * Whether React renders the next sibling of a waiting component in another task. It does not do so after a thrown
 * promise, or on a server.
 */
const isBatchable = (): boolean => !isThrown() && typeof window !== 'undefined';

/** `use` is called in every render, so that React sees the same order of hooks. This promise is marked as fulfilled. */
const ready: Pending = {
  promise: /* @__PURE__ */ fulfilled(/* @__PURE__ */ Promise.resolve()),
  doneAt: 0,
  failure: null,
};

/**
 * The error that `useSuspenseItem` throws to the error boundary if the item does not exist: the server returned
 * null for its level, or removed the item. It is not thrown if the schema of the level accepts null.
 */
export class GoneError extends Error {
  /** Always `'GoneError'`. */
  override readonly name = 'GoneError';
}

/** What the fetch of this level threw. `meta.cause` may be that of another level. */
function thrownIn(version: EntryView, { level }: Key): unknown {
  const { failure } = version.at(level) ?? {};
  return failure?.thrown ?? failure?.error;
}

function fail(source: Source, ref: Reference, error: unknown): never {
  noteDue(source, ref);
  throw error;
}

/** Whether the schema of the level accepts null. Without a schema, a payload is not nullable. */
function isNullable({ name, level }: Key, dl: DataLayer): boolean {
  const schema = internalsOf(dl)?.parts.registry.type(name).fetchers.get(level)?.schema;
  const result = schema?.['~standard'].validate(null);
  return result !== undefined && 'value' in result;
}

/** Returns the promise that the render has to wait for. Called like a hook, so that a compiler does not keep its result. */
function usePending(source: Source, shown: Shown): Pending {
  const { ref, key } = source;
  if (ref === null) return ready;
  const version = shown.version;
  // React replays the render that suspended, and expects the promise that it waited for.
  if (isLevelFetched(version, key)) {
    // A child that throws keeps this component from mounting, so only the reset of the boundary can request it.
    if (isLevelMarked(ref, key.level)) noteDue(source, ref);
    return doneOf(ref, key.level) ?? ready;
  }
  // The data may be in a state that a boundary has not hydrated yet.
  if (isLost(source, version) && source.scope.states?.hasRest() !== true)
    fail(source, ref, thrownIn(version, key));
  const pending = pendingOf(source, ref, isBatchable());
  if (pending.failure !== null) fail(source, ref, pending.failure.error);
  return pending;
}

/** Reads an entry, and suspends while there is no data. */
function useData(key: Key, options: SelectOptions<never, unknown> | undefined): Shown {
  const { source, shown } = useEntry(key, true, options, isServed);
  const { promise, doneAt } = usePending(source, shown);
  if (doneAt !== null || !isThrown()) use?.(promise);
  // After a reset, React can return from `use` with the promise of an earlier attempt.
  if (doneAt === null) throw promise;
  return shown;
}

/**
 * Like `useItem`, for a component that renders only with data. It suspends until the level was fetched. While there is no data, an error goes to
 * the nearest error boundary, and so does a `GoneError` if the item does not exist. A refetch neither suspends nor throws. React 18 and later.
 */
export function useSuspenseItem<
  T extends TypeName,
  I extends Id = Id,
  Levels extends object = LevelsOf<T>,
  L extends (keyof Levels & string) | null | undefined = undefined,
  R = LevelArgumentData<Levels, L>,
>(
  type: T | ItemDefinition<string, I, Levels>,
  id: NoInfer<I>,
  level?: L,
  options?: SelectOptions<LevelArgumentData<Levels, L>, R>,
): ItemSnapshot<R>;
/** The level can also be an option. */
export function useSuspenseItem<
  T extends TypeName,
  I extends Id = Id,
  Levels extends object = LevelsOf<T>,
  L extends (keyof Levels & string) | null | undefined = undefined,
  R = LevelArgumentData<Levels, L>,
>(
  type: T | ItemDefinition<string, I, Levels>,
  id: NoInfer<I>,
  options: { level?: L } & SelectOptions<LevelArgumentData<Levels, L>, R>,
): ItemSnapshot<R>;
export function useSuspenseItem(
  type: { name: string } | string,
  id: Id,
  second?: object | string | null,
  third?: SelectOptions<never, unknown>,
): unknown {
  const name = nameOf(type);
  const level = levelOf(second);
  const options = optionsOf(second, third);
  const hook = `useSuspenseItem("${name}")`;
  if (process.env.NODE_ENV !== 'production') checkOptions(hook, options, 'select isEqual', second);
  const isMissing = id === null || id === undefined; // The types forbid it. The component would wait without end.
  if (isMissing)
    throw new TypeError(`[edict] ${hook}: there is no id. Render the component only if there is one.`);
  const key = itemKey(name, id, level);
  const dl = useDL();
  const shown = useData(key, options);
  const snapshot = shown.snapshot as unknown as ItemSnapshot; // Its key is that of an item.
  // Other levels may still have data, but this one has none.
  const isAbsent = snapshot.isGone || shown.version.at(level)?.payload === null;
  if (isAbsent && !isNullable(key, dl)) throw new GoneError(`[edict] ${name} ${id} does not exist.`);
  return snapshot;
}

/** Like `useCollection`, for a component that renders only with a response. The rules of `useSuspenseItem` apply. */
export function useSuspenseCollection<
  C extends CollectionName,
  P = CollectionParams<C>,
  I extends Id = Id,
  Info = unknown,
  R = CollectionData<I, Info>,
>(
  collection: C | CollectionDefinition<string, P, I, Info>,
  ...options: CollectionArguments<
    NoInfer<P>,
    UseSuspenseCollectionOptions<NoInfer<P>, R, CollectionData<NoInfer<I>, NoInfer<Info>>>
  >
): CollectionSnapshot<R, P>;
export function useSuspenseCollection(
  collection: { name: string } | string,
  options?: UseSuspenseCollectionOptions<object, unknown, never>,
): unknown {
  const name = nameOf(collection);
  if (process.env.NODE_ENV !== 'production')
    checkOptions(`useSuspenseCollection("${name}")`, options, 'params select isEqual');
  return useData(collectionKey(name, options?.params), options).snapshot;
}
