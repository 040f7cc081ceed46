// Reads one entry of a dehydrated state without a cache. A page shows this entry while it hydrates (D-REACT-10).

import type {
  CollectionDefinition,
  CollectionName,
  CollectionParams,
  DataLayer,
  Id,
  LevelsOf,
  MergedLevels,
  ItemDefinition,
  TypeName,
} from '@edict/core';
import { partsOf } from './parts.ts';
import type { Def, Fetcher } from '../cache/entry.ts';
import type { Parts } from '../parts.ts';
import { newEntry, newSlot } from '../cache/entry.ts';
import { refOf } from '../cache/reference.ts';
import { isAge } from '../platform/ages.ts';
import { collectionData } from '../fetching/listResponse.ts';
import { isList, isObject, check, must } from '../config/checks.ts';
import { nameOf, type NameOrDefinition } from '../config/definitions.ts';
import { levelGraph } from '../levels/graph.ts';
import { paramsKey, paramsSnapshot } from '../cache/params.ts';
import type { DehydratedCollection, DehydratedItem, DehydratedKey, DehydratedState } from './types.ts';
import type { CollectionReference, ItemReference, Reference } from '../types/references.ts';

/** A level that is not registered on this data layer. It is stale only if the state marks it as stale. */
const asHydrated: Fetcher = {
  level: 'default',
  fetch: () => undefined,
  bulkFetch: null,
  check: null,
  schema: null,
  stalenessMs: Number.POSITIVE_INFINITY,
  timeoutMs: 0,
  retry: { attempts: 0 },
};

/** The entry that is read. */
interface Named {
  readonly kind: Def['kind'];
  readonly name: string;
  readonly key: string;
  readonly params: object | undefined;
}

interface HydratedLevel {
  readonly level: string;
  readonly payload: unknown;
  readonly ageMs: number;
  readonly isStale: boolean;
}

function referenceOf(
  { env, registry }: Parts,
  { kind, name, key, params }: Named,
  hydrated: readonly HydratedLevel[],
): Reference {
  const start = env.sinceEpoch(env.now());
  // Its `stalenessMs` decides `isStale`.
  const registered = (kind === 'item' ? registry.types : registry.collections).get(name);
  const fetchers = new Map(
    hydrated.map(({ level }) => [level, registered?.fetchers.get(level) ?? asHydrated] as const),
  );
  const def: Def = {
    kind,
    name,
    entries: new Map(),
    fetchers,
    graph: levelGraph([...fetchers.keys()], []),
    getId: () => undefined,
    of: null,
    env: { log: env.log, now: () => 0, sinceEpoch: (time) => start + time },
  };
  const entry = newEntry(def, key, params, 0);
  // Oldest first, as in the state.
  entry.slots = hydrated.map(({ level, payload, ageMs, isStale }, answeredOrder) => ({
    ...newSlot(entry, level),
    payload,
    fetchedAt: -ageMs,
    answeredOrder,
    staleOrder: isStale ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY,
  }));
  return refOf(entry);
}

/** An index of the entries of a state. It is created once, because a page may read thousands of entries. */
interface Index {
  readonly items: ReadonlyMap<string, DehydratedItem>;
  readonly collections: ReadonlyMap<string, DehydratedCollection>;
}

const indexes = new WeakMap<DehydratedState, Index>();

const aState = check<DehydratedState>(
  'be what dehydrate returned',
  (value) => isObject(value) && value['v'] === 1 && isList(value['items']) && isList(value['collections']),
);

const keyOf = (name: string, key: string): string => JSON.stringify([name, key]);

function indexOf(state: DehydratedState): Index {
  const known = indexes.get(state);
  if (known !== undefined) return known;
  must('readDehydrated: the state', aState, state);
  // Skips a member that is not an entry, like `hydrate`.
  const { items, collections } = state;
  const index = {
    items: new Map(items.filter(isObject).map((item) => [keyOf(item.type, String(item.id)), item])),
    collections: new Map(
      collections.filter(isObject).map((one) => [keyOf(one.name, paramsKey(one.params)), one]),
    ),
  };
  indexes.set(state, index);
  return index;
}

/**
 * Returns the reference that an entry of a dehydrated state would have, or null if the state does not contain it. With a `level`, the item must
 * contain that level. Nothing is cached or fetched. `isStale` is computed from the registered `stalenessMs` and the age in the state, so a
 * server and its client agree. Throws a `TypeError` if `state` is not a dehydrated state.
 */
export function readDehydrated<T extends TypeName, I extends Id = Id, Levels extends object = LevelsOf<T>>(
  dl: DataLayer,
  state: DehydratedState,
  key: {
    type: T | ItemDefinition<string, I, Levels>;
    id: NoInfer<I>;
    level?: (keyof NoInfer<Levels> & string) | null | undefined;
  },
): ItemReference<MergedLevels<Levels>> | null;
export function readDehydrated<
  C extends CollectionName,
  P = CollectionParams<C>,
  I extends Id = Id,
  Info = unknown,
>(
  dl: DataLayer,
  state: DehydratedState,
  key: { name: C | CollectionDefinition<string, P, I, Info>; params?: NoInfer<P> | null | undefined },
): CollectionReference<P, I, Info> | null;
export function readDehydrated(
  dl: DataLayer,
  state: DehydratedState,
  key: DehydratedKey,
): ItemReference | CollectionReference | null;
export function readDehydrated(
  dl: DataLayer,
  state: DehydratedState,
  key:
    | { type: NameOrDefinition; id: Id; level?: string | null | undefined }
    | { name: NameOrDefinition; params?: unknown },
): ItemReference | CollectionReference | null {
  const parts = partsOf(dl, 'readDehydrated');
  must('readDehydrated: the key', isObject, key);
  if ('type' in key) {
    const name = nameOf(key.type);
    const found = indexOf(state).items.get(keyOf(name, String(key.id)));
    const hydrated = (found?.payloads ?? []).flatMap(({ levels, data, ageMs, stale }) =>
      isAge(ageMs)
        ? levels.map((level): HydratedLevel => ({ level, payload: data, ageMs, isStale: stale === true }))
        : [],
    );
    if (
      hydrated.length === 0 ||
      (typeof key.level === 'string' && !hydrated.some(({ level }) => level === key.level))
    )
      return null;
    return referenceOf(parts, { kind: 'item', name, key: String(key.id), params: undefined }, hydrated);
  }
  const name = nameOf(key.name);
  const wanted = paramsKey(key.params);
  const found = indexOf(state).collections.get(keyOf(name, wanted));
  if (found === undefined || !isAge(found.ageMs)) return null;
  const { ageMs, stale } = found;
  const payload = collectionData(found, 'A list');
  return referenceOf(parts, { kind: 'collection', name, key: wanted, params: paramsSnapshot(wanted) }, [
    { level: 'default', payload, ageMs, isStale: stale === true },
  ]);
}
