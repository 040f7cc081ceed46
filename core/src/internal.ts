/**
 * Additional functions for `@edict/react`, its devtools, and the adapters. They are not for applications and not
 * covered by semver.
 *
 * @module @edict/core/internal
 */

import type { DataLayer } from '@edict/core';
import type { Internals } from './parts.ts';
import { isMarked } from './cache/staleness.ts';
import { hiddenOf } from './platform/hidden.ts';
import { targetOf } from './events/fetchEvents.ts';
import type { Target } from './types/delivery.ts';

export type { CustomSource, Internals } from './parts.ts';
export { emptyCollection } from './cache/entry.ts';
export { viewOf as entryView, type EntryView, isLevelMarked, refOf, unreadView } from './cache/reference.ts';
export { nameOf } from './config/definitions.ts';
export { describe, errorOf, messageOf } from './config/describe.ts';
export { hydrateWith, type HydrateInReact } from './hydration/hydrate.ts';
export { createJson } from './mutations/json.ts';
export { loadShare } from './stream/client.ts';
export { deepEqual } from './cache/structuralSharing.ts';

// Each cast names the type that the core stores under the hidden key of that kind of object.

/** Returns the internals of a data layer. Returns null for any other value, including a copy of a data layer. */
export const internalsOf = (dl: DataLayer): Internals | null =>
  (hiddenOf(dl) as Internals | undefined) ?? null;

/**
 * The `seq` of the envelope in which a list of directives arrived. Directives without a `seq` inherit it. Null if the list arrived without
 * one, for example in the response of a mutation.
 *
 * @param detail of a `directive:received` event, as the callback received it
 */
export const seqOf = (detail: object): number | null => (hiddenOf(detail) as number | undefined) ?? null;

/**
 * The levels and collection entries that a directive has marked stale without requesting them. They are fetched when they are read again.
 *
 * @param detail of a `directive:processed` event, while the callback receives it
 */
export const markedBy = (dl: DataLayer, detail: object): readonly Target[] =>
  (internalsOf(dl)?.parts.registry.slots() ?? [])
    .filter((slot) => slot.staleOrder === hiddenOf(detail) && isMarked(slot) && slot.wanted === null)
    .map(targetOf);
