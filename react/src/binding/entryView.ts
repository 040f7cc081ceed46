// Computes the fields that a hook returns for one version of an entry. A reference has no level, but a hook has one. Until that level is fetched,
// the hook shows no data.

import type { CollectionData, CollectionMeta, ItemMeta } from '@edict/core';
import type { EntryView } from '@edict/core/internal';
import type { Key } from './untyped.ts';

type NullableUse<M> = Omit<M, 'lastUsedAt'> & { readonly lastUsedAt: string | null };

/** One version of an entry, or its stand-in where nothing is read or fetched. Its identity is the version. */
export type EntryVersion = Omit<EntryView, 'usedAt' | 'meta'> & {
  readonly usedAt: number | null;
  readonly meta: NullableUse<ItemMeta> | NullableUse<CollectionMeta>;
};

/** How a hook looks at an entry. */
export interface Viewpoint {
  readonly key: Key;
  /** False: nothing is read. */
  readonly isEnabled: boolean;
  readonly isSilent: boolean;
  /** The data that `keepPrevious` shows until the level is fetched or has failed. Undefined if there is none. */
  readonly previous: unknown;
}

export const emptyCollectionData: CollectionData = Object.freeze({ ids: Object.freeze([]), count: 0 });

/** Without a prototype: a level may be named `constructor`. */
const emptyRecord: Readonly<Record<string, never>> = Object.freeze(
  Object.create(null) as Record<string, never>,
);
const failure = { error: null, cause: null, activeQueryId: null };
const emptyMeta = {
  item: {
    isLoading: false,
    lastFetchedAny: null,
    levelStamps: emptyRecord,
    failedLevels: emptyRecord,
    levelErrors: emptyRecord,
    ...failure,
    lastUsedAt: null,
    isStale: false,
  },
  collection: {
    isLoading: false,
    lastFetched: null,
    ...failure,
    paramsSnapshot: undefined,
    paramsKey: '{}',
    lastUsedAt: null,
    isStale: false,
  },
};

/** The names of `meta`'s fields. */
export const metaNames = (kind: Key['kind']): readonly string[] => [
  ...Object.keys(emptyMeta[kind]),
  'isPrevious',
];

/** The stand-in for an entry that was never fetched. */
export const unfetched = (kind: Key['kind'], overrides: Partial<CollectionMeta> = {}): EntryVersion => ({
  isLoading: false,
  isFetched: () => false,
  isNull: () => false,
  hasFailed: () => false,
  causeOf: () => undefined,
  isMarked: () => false,
  usedAt: null,
  isoOf: String,
  isStale: overrides.isStale === true,
  meta: { ...emptyMeta[kind], ...overrides },
});

/** The version that a disabled hook shows. */
export const nothingRead: Record<Key['kind'], EntryVersion> = {
  item: unfetched('item'),
  collection: unfetched('collection'),
};

/** Thrown values that are no errors are wrapped, so that `error.message` can be shown. */
const errorOf = (message: string | null, cause: unknown): Error | null =>
  message === null ? null : cause instanceof Error ? cause : new Error(message, { cause });

/** The value of a field for a version and the reference's data. The fields of `meta` begin with `meta.`; `isStale` is read elsewhere. */
export function fieldOf(viewpoint: Viewpoint, version: EntryVersion, raw: unknown, field: string): unknown {
  const { key, isEnabled, isSilent, previous } = viewpoint;
  const { meta } = version;
  const isFetched = version.isFetched(key.level);
  const isUnsettled = !isFetched && !version.hasFailed(key.level);
  const isPrevious = isUnsettled && previous !== undefined;
  switch (field) {
    case 'data':
      // The other levels do not have the fields of this one.
      if (isFetched) return version.isNull(key.level) ? null : raw;
      if (isPrevious) return previous;
      return key.kind === 'item' ? null : emptyCollectionData;
    case 'error':
      return errorOf(meta.error, meta.cause);
    case 'isPending':
      return isEnabled && !isFetched && !isPrevious && meta.error === null;
    case 'isGone':
      // Without a payload `data` is null too.
      return raw === null && 'lastFetchedAny' in meta && meta.lastFetchedAny !== null;
    case 'meta.isPrevious':
      return isPrevious;
    case 'isFetching':
    case 'meta.isLoading':
      // True from the first render on, also on a server, although the request starts only when React subscribes.
      return version.isLoading || (isEnabled && !isSilent && isUnsettled);
    default:
      return (meta as unknown as Record<string, unknown>)[field.slice(5)]; // The getters are made of the names of its fields.
  }
}
