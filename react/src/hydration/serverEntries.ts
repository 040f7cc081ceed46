// Entries as the server rendered them, read from the states of the hydration boundaries above a hook, the nearest first.

import type { DataLayer, Reference } from '@edict/core';
import { type DehydratedState, readDehydrated } from '@edict/core/hydration';
import { emptyCollection, entryView, unreadView } from '@edict/core/internal';
import { isLevelFetched } from '../binding/entryView.ts';
import type { States } from '../binding/scope.ts';
import type { EntryState } from '../binding/snapshot.ts';
import type { Key } from '../binding/untyped.ts';
import { hasRest, takeOverRest } from './takeOver.ts';

/** The level if the state contains it, or null. */
function entryIn(dl: DataLayer, state: DehydratedState, key: Key): EntryState | null {
  const { kind, name, id, level, params } = key;
  const entry = readDehydrated(dl, state, kind === 'item' ? { type: name, id, level } : { name, params });
  if (entry === null) return null;
  const version = entryView(entry);
  return isLevelFetched(version, key) ? { version, raw: entry.data } : null;
}

/** The placeholder that a server shows for an entry that it has not fetched. */
function unfetchedEntry({ meta }: Reference): EntryState {
  if (!('paramsKey' in meta)) return { version: unreadView('item'), raw: null };
  const { paramsKey, paramsSnapshot } = meta;
  return { version: unreadView('collection', paramsSnapshot, paramsKey), raw: emptyCollection };
}

/** The states that the hooks below a boundary read. */
export const withState = (dl: DataLayer, state: DehydratedState, outer: States | null): States => {
  const find: States['find'] = (key) => entryIn(dl, state, key) ?? outer?.find(key) ?? null;
  return {
    find,
    owes: (key) => (hasRest(dl, state) && entryIn(dl, state, key) !== null) || outer?.owes(key) === true,
    takeRest() {
      outer?.takeRest();
      takeOverRest(dl, state);
    },
    // The Suspense hooks wait for entries that a state lacks. The other hooks show them as loading, like the
    // server.
    serverEntryOf: ({ ref, key, isServed }) =>
      ref === null ? null : (find(key) ?? (isServed ? null : unfetchedEntry(ref))),
  };
};
