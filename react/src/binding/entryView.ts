// What a hook makes of a reference: a reference has no level, a hook has (D-REACT-5). Pure.

import type { CollectionData, CollectionMeta, ItemMeta, Reference } from '@edict/core';
import { entryView, type EntryView } from '@edict/core/internal';
import type { ReadMode } from './readMode.ts';

/** What `lastUsedAt` is told apart by: nothing is used where nothing is read. */
interface Unused {
  readonly lastUsedAt: string | null;
}

/** `meta` of a reference, or what stands for it where there is none. */
export type CoreMeta =
  | (Omit<ItemMeta, 'lastUsedAt'> & Unused)
  | (Omit<CollectionMeta, 'lastUsedAt'> & Unused);

/** An entry at one version, or what stands for it where there is none. Its identity is the version. */
export type EntryVersion = Omit<EntryView, 'usedAt' | 'meta'> & {
  readonly usedAt: number | null;
  readonly meta: CoreMeta;
};

/** From where a hook looks at an entry. */
export interface Viewpoint {
  readonly kind: 'item' | 'collection';
  /** Of an item; collections have one. */
  readonly level: string;
  readonly mode: Pick<ReadMode, 'isEager'>;
  /** What `keepPrevious` shows until there is an answer; undefined: nothing. */
  readonly previous: unknown;
}

const nothing: Readonly<Record<string, never>> = Object.freeze(
  Object.create(null) as Record<string, never>, // An object without keys has values of every type.
);

/** The fields of `meta` that are tracked and that no hook has a word in, as they are where nobody has fetched. */
const itemFacts = {
  lastFetchedAny: null,
  levelStamps: nothing,
  failedLevels: nothing,
  levelErrors: nothing,
  error: null,
  cause: null,
  activeQueryId: null,
};
const collectionFacts = {
  lastFetched: null,
  error: null,
  cause: null,
  activeQueryId: null,
  paramsSnapshot: undefined,
  paramsKey: '{}',
};

/** The fields of a snapshot by number: `data` is 0, then those of `meta`. The first three are the hook's own. */
const hookFields = ['data', 'isLoading', 'isPrevious'];
export const itemFields: readonly string[] = [...hookFields, ...Object.keys(itemFacts)];
export const collectionFields: readonly string[] = [...hookFields, ...Object.keys(collectionFacts)];
export const dataField = 0;
const loadingField = 1;
const previousField = 2;

export const fieldsOf = (kind: Viewpoint['kind']): readonly string[] =>
  kind === 'item' ? itemFields : collectionFields;

export const emptyCollectionData: CollectionData = Object.freeze({ ids: Object.freeze([]), count: 0 });

/** Of a disabled hook, and of an entry that nobody has fetched. */
const emptyVersion = (facts: typeof itemFacts | typeof collectionFacts): EntryVersion => ({
  isLoading: false,
  isFetched: () => false,
  hasFailed: () => false,
  causeOf: () => undefined,
  isMarked: () => false,
  usedAt: null,
  isoOf: () => '', // Never asked: nothing was used.
  isStale: false,
  meta: Object.freeze({ isLoading: false, ...facts, lastUsedAt: null, isStale: false }),
});

export const emptyItem: EntryVersion = emptyVersion(itemFacts);
export const emptyCollection: EntryVersion = emptyVersion(collectionFacts);

/** A collection that nobody has fetched, under its params. */
export const unfetchedCollection = (paramsKey: string, paramsSnapshot: unknown): EntryVersion =>
  emptyVersion({ ...collectionFacts, paramsKey, paramsSnapshot } as typeof collectionFacts); // The fields are those of its kind.

/** The present version of an entry. */
export const versionOf = (ref: Reference): EntryVersion => entryView(ref);

/** Whether what is shown belongs to earlier arguments (D-REACT-4). */
const isPrevious = (viewpoint: Viewpoint, version: EntryVersion): boolean =>
  viewpoint.previous !== undefined &&
  !version.isFetched(viewpoint.level) &&
  !version.hasFailed(viewpoint.level);

/** D-REACT-5: true from the first render on, also on the server. */
const isLoading = (viewpoint: Viewpoint, version: EntryVersion): boolean =>
  version.isLoading ||
  (viewpoint.mode.isEager && !version.isFetched(viewpoint.level) && !version.hasFailed(viewpoint.level));

/** `data` of the hook before `select`; `raw` is that of the reference. */
export function dataOf(viewpoint: Viewpoint, version: EntryVersion, raw: unknown): unknown {
  // D-REACT-5: other levels' data is not this level's.
  if (version.isFetched(viewpoint.level)) return raw;
  if (isPrevious(viewpoint, version)) return viewpoint.previous;
  return viewpoint.kind === 'item' ? null : emptyCollectionData;
}

/** A field of the hook's `meta`. */
export function metaField(viewpoint: Viewpoint, version: EntryVersion, field: number): unknown {
  if (field === loadingField) return isLoading(viewpoint, version);
  if (field === previousField) return isPrevious(viewpoint, version);
  const name = fieldsOf(viewpoint.kind)[field];
  // A viewpoint of a kind only ever looks at entries of that kind, and the fields of their meta bear the same names.
  return name === undefined ? undefined : (version.meta as unknown as Record<string, unknown>)[name];
}
