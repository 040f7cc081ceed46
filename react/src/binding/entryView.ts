// Computes the fields that a hook returns for one version of an entry. A reference has no level, but a hook has one. Until that level is fetched,
// the hook shows no data.

import type { Reference } from '@edict/core';
import { type EntryView, unreadView } from '@edict/core/internal';
import type { Key } from './untyped.ts';

/** The options of a hook that determine its view of an entry. */
export interface Viewpoint {
  readonly key: Key;
  /** Null: nothing is read. */
  readonly ref: Reference | null;
  readonly isSilent: boolean;
  /** The data that `keepPrevious` shows until the level is fetched or has failed. Null if there is none. */
  readonly previous: unknown;
}

/** What a disabled hook shows. */
export const nothingRead: Record<Key['kind'], EntryView> = {
  item: unreadView('item'),
  collection: unreadView('collection'),
};

/** The names of `meta`'s fields. */
export const metaNames = (kind: Key['kind']): readonly string[] => [
  ...Object.keys(nothingRead[kind].meta),
  'isPrevious',
];

/** Whether the hook's level has a payload. */
export const isLevelFetched = (version: EntryView, { level }: Key): boolean =>
  (version.at(level)?.fetchedAt ?? null) !== null;

/** Whether the last fetch of the hook's level failed. */
export const hasLevelFailed = (version: EntryView, { level }: Key): boolean =>
  (version.at(level)?.failure ?? null) !== null;

/** The value of a field for a version. The fields of `meta` begin with `meta.`. `isStale` is read elsewhere. */
export function fieldOf(viewpoint: Viewpoint, version: EntryView, field: string): unknown {
  const { key, ref, isSilent, previous } = viewpoint;
  const { fetchedAt = null, failure = null, payload } = version.at(key.level) ?? {};
  const isUnsettled = ref !== null && fetchedAt === null && failure === null;
  const isPrevious = isUnsettled && previous !== null;
  switch (field) {
    case 'data':
      // The other levels may lack the fields of this one, or be null.
      if (fetchedAt !== null) return payload === null ? null : (version.data ?? payload);
      return isPrevious ? previous : nothingRead[key.kind].data;
    case 'error':
      return version.failure?.error ?? null;
    case 'isPending':
      return isUnsettled && !isPrevious && version.failure === null;
    case 'isGone': {
      const fetched = version.levels.filter((level) => level.fetchedAt !== null);
      return fetched.length > 0 && fetched.every((level) => level.payload === null);
    }
    case 'meta.isPrevious':
      return isPrevious;
    case 'isFetching':
    case 'meta.isLoading':
      // True from the first render on, also on a server, although the request starts only when React subscribes.
      return version.isLoading || (isUnsettled && !isSilent);
    default:
      return (version.meta as unknown as Record<string, unknown>)[field.slice(5)]; // The getters are made of the names of its fields.
  }
}
