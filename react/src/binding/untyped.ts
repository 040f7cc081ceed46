// The data layer with plain strings for names. Names, levels, and params are checked by the types of the hooks, so this package compiles
// whatever an application registers.

import type {
  CollectionReference,
  DataLayer,
  FetchItemOptions,
  Id,
  ItemReference,
  Reference,
} from '@edict/core';

type ReadOptions = FetchItemOptions & {
  /** Similar reads follow in separate tasks, so the core waits a few milliseconds to request them together. */
  readonly isBatchable?: boolean;
  /** A directive made the read necessary, so `bulk.retryFailedMs` applies to it. */
  readonly isRequired?: boolean;
};

export interface UntypedLayer {
  getItemRef: (type: string, id: Id) => ItemReference;
  getCollectionRef: (name: string, options?: { params?: object | null | undefined }) => CollectionReference;
  fetchItem: (type: string, id: Id, level: string, options?: ReadOptions) => ItemReference;
  fetchCollection: (
    name: string,
    options: ReadOptions & { params?: object | null | undefined },
  ) => CollectionReference;
  onRefChange: (ref: Reference, callback: () => void) => () => void;
  whenSettled: (ref: Reference) => Promise<void>;
  isCollectionLoading: (name: string, params: object | null | undefined) => boolean;
  isItemLoading: (type: string, id: Id, level: string) => boolean;
}

/** The same data layer. Its generic parameters only restrict which strings an application may write. */
export const untypedOf = (dl: DataLayer): DataLayer & UntypedLayer => dl as DataLayer & UntypedLayer;

/** The record that a hook reads: one level of an item, or a collection with one params set. */
export interface Key {
  readonly kind: 'item' | 'collection';
  readonly name: string;
  /** `''` for a collection. */
  readonly id: Id;
  /** `'default'` for a collection. */
  readonly level: string;
  readonly params: object | null | undefined;
}

export const itemKey = (name: string, id: Id, level: string): Key => ({
  kind: 'item',
  name,
  id,
  level,
  params: undefined,
});

export const collectionKey = (name: string, params: object | null | undefined): Key => ({
  kind: 'collection',
  name,
  id: '',
  level: 'default',
  params,
});

/** The reference, without a request. */
export const refOf = (layer: UntypedLayer, key: Key): Reference =>
  key.kind === 'item'
    ? layer.getItemRef(key.name, key.id)
    : layer.getCollectionRef(key.name, { params: key.params });

/** Reads the record once. Starts a request if needed. */
export const readEntry = (layer: UntypedLayer, key: Key, options?: ReadOptions): Reference =>
  key.kind === 'item'
    ? layer.fetchItem(key.name, key.id, key.level, options)
    : layer.fetchCollection(key.name, { ...options, params: key.params });

/** Hooks accept the level as a separate argument, or as one of the options. Functions, because a pair would be an object for each row. */
const isOptions = (second: object | string | null | undefined): second is object =>
  typeof second === 'object' && second !== null;

export const levelOf = (second: { readonly level?: string | null } | string | null | undefined): string =>
  (isOptions(second) ? second.level : second) ?? 'default';

export const optionsOf = <O extends object>(
  second: object | string | null | undefined,
  third: O | undefined,
): O | undefined => (isOptions(second) ? (second as O) : third); // The types of the hooks allow no other object.
