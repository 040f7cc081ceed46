// Entries as a server saw them (D-REACT-10): read from the states of the hydration boundaries above a hook, innermost first.

import { readDehydrated, type DehydratedState } from '@edict/core/hydration';
import type { DataLayer, Reference } from '@edict/core';
import { emptyCollectionData, emptyItem, versionOf, unfetchedCollection } from '../binding/entryView.ts';
import type { Key } from '../binding/untyped.ts';
import type { ServerEntry, States } from '../binding/scope.ts';
import { hasRest, takeOverRest } from './takeOver.ts';

const readState = (dl: DataLayer, state: DehydratedState, key: Key): Reference | null =>
  readDehydrated(
    dl,
    state,
    key.kind === 'item'
      ? { type: key.name, id: key.id, level: key.level }
      : { name: key.name, params: key.params },
  );

/** The level as the state has it, or null. */
function entryIn(dl: DataLayer, state: DehydratedState, key: Key): ServerEntry | null {
  const dehydrated = readState(dl, state, key);
  if (dehydrated === null) return null;
  const version = versionOf(dehydrated);
  return version.isFetched(key.level) ? { version, raw: dehydrated.data } : null;
}

/** As a server shows what it has not fetched: loading. */
function unfetched(live: Reference): ServerEntry {
  const { meta } = live;
  if (!('paramsKey' in meta)) return { version: emptyItem, raw: null };
  return { version: unfetchedCollection(meta.paramsKey, meta.paramsSnapshot), raw: emptyCollectionData };
}

/** The states that a boundary's hooks look into. */
export const withState = (dl: DataLayer, state: DehydratedState, outer: States | null): States => {
  const find: States['find'] = (key) => entryIn(dl, state, key) ?? outer?.find(key) ?? null;
  return {
    find,
    owes: (key) => (hasRest(dl, state) && entryIn(dl, state, key) !== null) || outer?.owes(key) === true,
    takeRest() {
      outer?.takeRest();
      takeOverRest(dl, state);
    },
    serverEntryOf(source) {
      const { ref, mode } = source;
      return ref === null ? null : (find(source) ?? (mode.suspends ? null : unfetched(ref)));
    },
  };
};
