// Entries as the server rendered them, read from the states of the hydration boundaries above a hook, the nearest first.

import type { DataLayer, Reference } from '@edict/core';
import { type DehydratedState, readDehydrated } from '@edict/core/hydration';
import { type EntryView, entryView, unreadView } from '@edict/core/internal';
import type { States } from '../binding/scope.ts';
import type { Key } from '../binding/untyped.ts';
import { hasRest, takeOverRest } from './takeOver.ts';

/** The level if the state contains it, or null. */
function entryIn(dl: DataLayer, state: DehydratedState, key: Key): EntryView | null {
  const { kind, name, id, level, params } = key;
  const entry = readDehydrated(dl, state, kind === 'item' ? { type: name, id, level } : { name, params });
  return entry && entryView(entry);
}

/** The placeholder that a server shows for an entry that it has not fetched. */
const unfetchedEntry = ({ meta }: Reference): EntryView =>
  'paramsKey' in meta ? unreadView('collection', meta.paramsSnapshot, meta.paramsKey) : unreadView('item');

/** The states that the hooks below a boundary read. */
export const withState = (dl: DataLayer, state: DehydratedState, outer: States | null): States => {
  const find: States['find'] = (key) => entryIn(dl, state, key) ?? outer?.find(key) ?? null;
  return {
    find,
    hasRest: () => hasRest(dl, state) || outer?.hasRest() === true,
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
