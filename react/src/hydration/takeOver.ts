// What of a dehydrated state goes into the live data layer, and when (D-REACT-10).

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
  /** Takes over what waits for the effect, when React may be told of changes. */
  takeRest: (() => void) | null;
}

/** What cannot be read is told once, and leaves nothing for later. */
const unreadable: Taken = { takeRest: null };

/** Per data layer, the states that were taken over: each is, once, however often React renders. */
const takenOver = new WeakMap<DataLayer, WeakMap<DehydratedState, Taken>>();

/** The reference, or null where the name is not registered here: `hydrate` passes such an entry over and says so. */
function find(dl: DataLayer, key: Key): Reference | null {
  try {
    return refOf(untypedOf(dl), key);
  } catch {
    return null;
  }
}

/** Nobody here has asked for it, so nobody is told of it. */
function isUntouched(ref: Reference | null): boolean {
  if (ref === null) return true;
  const { meta } = ref;
  if ('levelStamps' in meta) return Object.keys(meta.levelStamps).length === 0;
  return meta.lastFetched === null && meta.activeQueryId === null; // A silent request shows nowhere else.
}

/** The levels of an item that have no answer here. */
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

/** Whether it is of this version and can be read: whatever made it, the page is not to break with it. */
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
 * Takes over, while rendering, what nobody here has asked for: the renders below find it, and a directive that comes before
 * they are mounted is not lost on it. What is held already may have watchers, which must not be told while React renders.
 *
 * @param isOfPage whether the page itself is hydrated: then an answer that is here came after the page was made.
 * @returns whether there is anything to read in the state.
 */
export function takeOver(dl: DataLayer, state: DehydratedState, isOfPage: boolean): boolean {
  const states = takenOver.get(dl) ?? new WeakMap<DehydratedState, Taken>();
  takenOver.set(dl, states);
  const known = states.get(state);
  if (known !== undefined) return known !== unreadable;
  if (!isReadable(dl, state)) {
    if (typeof state === 'object') states.set(state, unreadable); // Whatever made it may have made a text.
    hydrateWith(dl, state, { isOfPage, isRendering: true }); // Says what is wrong with it, and takes what is not.
    return false;
  }
  const now = { items: [] as DehydratedItem[], collections: [] as DehydratedCollection[] };
  const later = { items: [] as DehydratedItem[], collections: [] as DehydratedCollection[] };
  for (const item of state.items) {
    const ref = find(dl, itemKey(item.type, item.id, 'default'));
    if (isUntouched(ref)) now.items.push(item);
    else later.items.push(isOfPage ? missing(item, ref) : item);
  }
  for (const collection of state.collections) {
    const ref = find(dl, collectionKey(collection.name, collection.params));
    if (isUntouched(ref)) now.collections.push(collection);
    else if (!isOfPage || isMissing(ref)) later.collections.push(collection);
  }
  const isDone = later.items.length === 0 && later.collections.length === 0;
  // The same object for both parts: the ages of both count from when the first was taken over.
  const part = { ...state, ...now };
  const takeRest = (): void => hydrateWith(dl, Object.assign(part, later), { isOfPage, isRendering: false });
  states.set(state, { takeRest: isDone ? null : takeRest });
  hydrateWith(dl, part, { isOfPage, isRendering: true });
  return true;
}

/** The rest, in an effect: before any hook below subscribes, which is its first read. */
export function takeOverRest(dl: DataLayer, state: DehydratedState): void {
  const taken = takenOver.get(dl)?.get(state);
  if (taken === undefined) return;
  const { takeRest } = taken;
  taken.takeRest = null;
  takeRest?.();
}

/** Whether there is such a rest. */
export const hasRest = (dl: DataLayer, state: DehydratedState): boolean =>
  (takenOver.get(dl)?.get(state)?.takeRest ?? null) !== null;
