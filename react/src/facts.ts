// What a hook makes of a reference: a reference has no level, a hook has (D-REACT-5). Pure.

import type { CollectionData, CollectionMeta, Glimpse, ItemMeta, Reference } from '@edict/core';
import { glimpse } from '@edict/core';
import type { Manner } from './manner.ts';

/** What `lastUsedAt` is told apart by: nothing is used where nothing is read. */
interface Unused {
  readonly lastUsedAt: string | null;
}

/** `meta` of a reference, or what stands for it where there is none. */
export type CoreMeta =
  | (Omit<ItemMeta, 'lastUsedAt'> & Unused)
  | (Omit<CollectionMeta, 'lastUsedAt'> & Unused);

/** An entry at one version, or what stands for it where there is none. Its identity is the version. */
export type Look = Omit<Glimpse, 'usedAt' | 'meta'> & {
  readonly usedAt: number | null;
  readonly meta: CoreMeta;
};

/** From where a hook looks at an entry. */
export interface Lens {
  readonly kind: 'item' | 'collection';
  /** Of an item; collections have one. */
  readonly level: string;
  readonly manner: Pick<Manner, 'isEager'>;
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

export const fieldsOf = (kind: Lens['kind']): readonly string[] =>
  kind === 'item' ? itemFields : collectionFields;

export const emptyCollectionData: CollectionData = Object.freeze({ ids: Object.freeze([]), count: 0 });

/** Of a disabled hook, and of an entry that nobody has fetched. */
const emptyLook = (facts: typeof itemFacts | typeof collectionFacts): Look => ({
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

export const emptyItemLook: Look = emptyLook(itemFacts);
export const emptyCollectionLook: Look = emptyLook(collectionFacts);

/** A collection that nobody has fetched, under its params. */
export const unfetchedCollection = (paramsKey: string, paramsSnapshot: unknown): Look =>
  emptyLook({ ...collectionFacts, paramsKey, paramsSnapshot } as typeof collectionFacts); // The fields are those of its kind.

const looks = new WeakMap<object, Look>();

/** A reference of another copy of the core, as where one part of a program imports and another requires it. */
function lookThrough(meta: ItemMeta | CollectionMeta): Look {
  const known = looks.get(meta);
  if (known !== undefined) return known;
  const look: Look = {
    isLoading: meta.isLoading,
    isFetched: (level) =>
      'levelStamps' in meta ? typeof meta.levelStamps[level] === 'string' : meta.lastFetched !== null,
    hasFailed: (level) => ('failedLevels' in meta ? meta.failedLevels[level] === true : meta.error !== null),
    // It does not tell levels apart: what is another's by its message is not this one's.
    causeOf: (level) =>
      !('levelErrors' in meta) || meta.levelErrors[level] === meta.error ? meta.cause : undefined,
    isMarked: () => meta.isStale, // It does not tell marks from age.
    get usedAt() {
      return Date.parse(meta.lastUsedAt);
    },
    isoOf: (ms) => new Date(ms).toISOString(),
    get isStale() {
      return meta.isStale;
    },
    meta,
  };
  looks.set(meta, look);
  return look;
}

export const lookOf = (ref: Reference): Look => glimpse(ref) ?? lookThrough(ref.meta);

/** Whether what is shown belongs to earlier arguments (D-REACT-4). */
const isPrevious = (lens: Lens, look: Look): boolean =>
  lens.previous !== undefined && !look.isFetched(lens.level) && !look.hasFailed(lens.level);

/** D-REACT-5: true from the first render on, also on the server. */
const isLoading = (lens: Lens, look: Look): boolean =>
  look.isLoading || (lens.manner.isEager && !look.isFetched(lens.level) && !look.hasFailed(lens.level));

/** `data` of the hook before `select`; `raw` is that of the reference. */
export function dataOf(lens: Lens, look: Look, raw: unknown): unknown {
  // D-REACT-5: other levels' data is not this level's.
  if (look.isFetched(lens.level)) return raw;
  if (isPrevious(lens, look)) return lens.previous;
  return lens.kind === 'item' ? null : emptyCollectionData;
}

/** A field of the hook's `meta`. */
export function metaField(lens: Lens, look: Look, field: number): unknown {
  if (field === loadingField) return isLoading(lens, look);
  if (field === previousField) return isPrevious(lens, look);
  const name = fieldsOf(lens.kind)[field];
  // A lens of a kind only ever looks at entries of that kind, and the fields of their meta bear the same names.
  return name === undefined ? undefined : (look.meta as unknown as Record<string, unknown>)[name];
}
