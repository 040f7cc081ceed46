// Hydrates the live data layer with a dehydrated state: untouched entries while React renders, the others in an
// effect (D-REACT-10).

import {
  readDehydrated,
  type DehydratedState,
  type DehydratedItem,
  type DehydratedCollection,
} from '@edict/core/hydration';
import type { DataLayer, Reference } from '@edict/core';
import { hydrateWith } from '@edict/core/internal';
import type { Key } from '../binding/untyped.ts';
import { collectionKey, itemKey, untypedOf, refOf } from '../binding/untyped.ts';

interface Taken {
  /** Hydrates the entries that wait for the effect, because subscribers in React can be notified only then. */
  takeRest: (() => void) | null;
}

/** A state that cannot be read is logged once, and none of its entries waits for the effect. */
const unreadable: Taken = { takeRest: null };

/** The states that were hydrated, by data layer. Each state is hydrated once, however often React renders. */
const takenOver = new WeakMap<DataLayer, WeakMap<DehydratedState, Taken>>();

/** The reference, or null if the name is not registered here. `hydrate` skips such an entry and logs a warning. */
function find(dl: DataLayer, key: Key): Reference | null {
  try {
    return refOf(untypedOf(dl), key);
  } catch {
    return null;
  }
}

/** True if no component has requested the entry. Hydrating it then notifies no subscriber. */
function isUntouched(ref: Reference | null): boolean {
  if (ref === null) return true;
  const { meta } = ref;
  if ('levelStamps' in meta) return Object.keys(meta.levelStamps).length === 0;
  return meta.lastFetched === null && meta.activeQueryId === null; // A silent request shows nowhere else.
}

/** The item with only those levels that have no response in this cache. */
function missing(item: DehydratedItem, ref: Reference | null): DehydratedItem {
  if (ref === null || !('levelStamps' in ref.meta)) return item;
  const { levelStamps } = ref.meta;
  const payloads = item.payloads.map((payload) => ({
    ...payload,
    levels: payload.levels.filter((level) => typeof levelStamps[level] !== 'string'),
  }));
  return { ...item, payloads };
}

const isMissing = (ref: Reference | null): boolean =>
  ref === null || !('lastFetched' in ref.meta) || ref.meta.lastFetched === null;

/** Whether the state has this version and can be read. A damaged state must not break the page. */
function isReadable(dl: DataLayer, state: DehydratedState): boolean {
  try {
    for (const collection of state.collections) readDehydrated(dl, state, collection);
    return (
      state.v === 1 &&
      state.items.every(({ payloads }) => payloads.every(({ levels }) => Array.isArray(levels)))
    );
  } catch {
    return false;
  }
}

/**
 * Hydrates, while React renders, the entries that no component has requested. The renders below find them, and directives that arrive before
 * those components mount apply to them. Entries that are cached already may have subscribers, which must not be notified while React renders.
 *
 * @param isOfPage whether the page itself is hydrated; then a response that is cached here is newer than the page
 * @returns whether the state can be read
 */
export function takeOver(dl: DataLayer, state: DehydratedState, isOfPage: boolean): boolean {
  const states = takenOver.get(dl) ?? new WeakMap<DehydratedState, Taken>();
  takenOver.set(dl, states);
  const known = states.get(state);
  if (known !== undefined) return known !== unreadable;
  if (!isReadable(dl, state)) {
    if (typeof state === 'object') states.set(state, unreadable); // A string cannot be a key of a WeakMap.
    hydrateWith(dl, state, { isOfPage, isRendering: true }); // Logs what is wrong, and hydrates the entries that can be read.
    return false;
  }
  const untouched = { items: [] as DehydratedItem[], collections: [] as DehydratedCollection[] };
  const rest = { items: [] as DehydratedItem[], collections: [] as DehydratedCollection[] };
  for (const item of state.items) {
    const ref = find(dl, itemKey(item.type, item.id, 'default'));
    if (isUntouched(ref)) untouched.items.push(item);
    else rest.items.push(isOfPage ? missing(item, ref) : item);
  }
  for (const collection of state.collections) {
    const ref = find(dl, collectionKey(collection.name, collection.params));
    if (isUntouched(ref)) untouched.collections.push(collection);
    else if (!isOfPage || isMissing(ref)) rest.collections.push(collection);
  }
  const isDone = rest.items.length === 0 && rest.collections.length === 0;
  // Both parts use the same object, so that their ages count from the time when the first part was hydrated, and a reset applies to both.
  const part = { ...state, ...untouched };
  const takeRest = (): void => hydrateWith(dl, Object.assign(part, rest), { isOfPage, isRendering: false });
  states.set(state, { takeRest: isDone ? null : takeRest });
  hydrateWith(dl, part, { isOfPage, isRendering: true });
  return true;
}

/** Hydrates the remaining entries. Called in an effect, before any hook below subscribes and reads. */
export function takeOverRest(dl: DataLayer, state: DehydratedState): void {
  const taken = takenOver.get(dl)?.get(state);
  if (taken === undefined) return;
  const { takeRest } = taken;
  taken.takeRest = null;
  takeRest?.();
}

/** Whether entries of the state wait for the effect. */
export const hasRest = (dl: DataLayer, state: DehydratedState): boolean =>
  (takenOver.get(dl)?.get(state)?.takeRest ?? null) !== null;
