// Entries as a server saw them (D-REACT-10): read from the states of the hydration boundaries above a hook, innermost first.

import { readDehydrated } from '@edict/core';
import type { DataLayer, DehydratedState, Reference } from '@edict/core';
import { emptyCollectionData, emptyItemLook, lookOf, unfetchedCollection } from './facts.ts';
import type { Key } from './layer.ts';
import type { Moment, States } from './scope.ts';
import { hasRest, takeOverRest } from './takeOver.ts';

const readState = (state: DehydratedState, key: Key): Reference | null =>
  // The names were checked where the hook was called.
  (readDehydrated as (state: DehydratedState, key: object) => Reference | null)(
    state,
    key.kind === 'item'
      ? { type: key.name, id: key.id, level: key.level }
      : { name: key.name, params: key.params },
  );

/** The level as the state has it, or null. */
function momentIn(state: DehydratedState, key: Key): Moment | null {
  const dehydrated = readState(state, key);
  if (dehydrated === null) return null;
  const look = lookOf(dehydrated);
  return look.isFetched(key.level) ? { look, raw: dehydrated.data } : null;
}

/** As a server shows what it has not fetched: loading. */
function unfetched(live: Reference): Moment {
  const { meta } = live;
  if (!('paramsKey' in meta)) return { look: emptyItemLook, raw: null };
  return { look: unfetchedCollection(meta.paramsKey, meta.paramsSnapshot), raw: emptyCollectionData };
}

/** The states that a boundary's hooks look into. */
export const withState = (dl: DataLayer, state: DehydratedState, outer: States | null): States => {
  const find: States['find'] = (key) => momentIn(state, key) ?? outer?.find(key) ?? null;
  return {
    find,
    owes: (key) => (hasRest(dl, state) && momentIn(state, key) !== null) || outer?.owes(key) === true,
    takeRest() {
      outer?.takeRest();
      takeOverRest(dl, state);
    },
    momentOf(source) {
      const { ref, manner } = source;
      return ref === null ? null : (find(source) ?? (manner.suspends ? null : unfetched(ref)));
    },
  };
};
