// What a hook makes of a reference: a reference has no level, a hook has (D-REACT-5). Pure.

import type { CollectionData, CollectionMeta, ItemMeta } from '@edict/core';

/** `meta` of a reference, or what stands for it where there is none. */
export type CoreMeta =
  | (Omit<ItemMeta, 'lastUsedAt'> & { readonly lastUsedAt: string | null })
  | (Omit<CollectionMeta, 'lastUsedAt'> & { readonly lastUsedAt: string | null });

/** From where a hook looks at an entry. */
export interface Lens {
  readonly kind: 'item' | 'collection';
  /** Of an item; collections have one. */
  readonly level: string;
  /** Enabled and not silent: it is loading from the first render on. */
  readonly isEager: boolean;
  /** What `keepPrevious` shows until there is an answer; undefined: nothing. */
  readonly previous: unknown;
}

/** The fields of a snapshot by number: `data` is 0, then those of `meta`. The first three are the hook's own. */
export const itemFields: readonly string[] = [
  'data',
  'isLoading',
  'isPrevious',
  'lastFetchedAny',
  'levelStamps',
  'failedLevels',
  'levelErrors',
  'error',
  'cause',
  'activeQueryId',
];
export const collectionFields: readonly string[] = [
  'data',
  'isLoading',
  'isPrevious',
  'lastFetched',
  'error',
  'cause',
  'activeQueryId',
  'paramsSnapshot',
  'paramsKey',
];
export const dataField = 0;
const loadingField = 1;
const previousField = 2;

export const fieldsOf = (kind: Lens['kind']): readonly string[] =>
  kind === 'item' ? itemFields : collectionFields;

const nothing: Readonly<Record<string, never>> = Object.freeze(
  Object.create(null) as Record<string, never>, // An object without keys has values of every type.
);

/** Of a disabled hook, and of an entry that nobody has fetched. */
export const emptyItemMeta: CoreMeta = Object.freeze({
  isLoading: false,
  lastFetchedAny: null,
  levelStamps: nothing,
  failedLevels: nothing,
  levelErrors: nothing,
  error: null,
  cause: null,
  activeQueryId: null,
  lastUsedAt: null,
  isStale: false,
});

/** As `emptyItemMeta`. */
export const emptyCollectionMeta: CoreMeta = Object.freeze({
  isLoading: false,
  lastFetched: null,
  error: null,
  cause: null,
  activeQueryId: null,
  paramsSnapshot: undefined,
  paramsKey: '{}',
  lastUsedAt: null,
  isStale: false,
});

export const emptyCollectionData: CollectionData = Object.freeze({ ids: Object.freeze([]), count: 0 });

/** Whether the level (or the collection) has an answer: its own, a derived or an inline one. */
export function isFetched(lens: Lens, meta: CoreMeta): boolean {
  if ('levelStamps' in meta) return typeof meta.levelStamps[lens.level] === 'string';
  return meta.lastFetched !== null;
}

export function hasFailed(lens: Lens, meta: CoreMeta): boolean {
  return 'failedLevels' in meta ? meta.failedLevels[lens.level] === true : meta.error !== null;
}

/** Whether what is shown belongs to earlier arguments (D-REACT-4). */
const isPrevious = (lens: Lens, meta: CoreMeta): boolean =>
  lens.previous !== undefined && !isFetched(lens, meta) && !hasFailed(lens, meta);

/** D-REACT-5: true from the first render on, also on the server. */
const isLoading = (lens: Lens, meta: CoreMeta): boolean =>
  meta.isLoading || (lens.isEager && !isFetched(lens, meta) && !hasFailed(lens, meta));

/** `data` of the hook before `select`; `raw` is that of the reference. */
export function dataOf(lens: Lens, meta: CoreMeta, raw: unknown): unknown {
  // D-REACT-5: other levels' data is not this level's.
  if (raw !== null && isFetched(lens, meta)) return raw;
  if (isPrevious(lens, meta)) return lens.previous;
  return lens.kind === 'item' ? null : emptyCollectionData;
}

/** A field of the hook's `meta`. */
export function metaField(lens: Lens, meta: CoreMeta, field: number): unknown {
  if (field === loadingField) return isLoading(lens, meta);
  if (field === previousField) return isPrevious(lens, meta);
  const name = fieldsOf(lens.kind)[field];
  // A lens of a kind only ever looks at a meta of that kind, and its fields bear the same names.
  return name === undefined ? undefined : (meta as unknown as Record<string, unknown>)[name];
}
