// The data layer as the hooks' inside sees it: names, levels and params are checked where a hook is called (D-REACT-9),
// and plain strings from there on. So these sources compile whatever an application registers.

import type {
  CollectionReference,
  DataLayer,
  FetchItemOptions,
  Id,
  ItemReference,
  Reference,
} from '@edict/core';

/** The core learns besides whether readers of its kind come one task after the other. */
type ReadOptions = FetchItemOptions & { readonly isScattered?: boolean };

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

// The same functions; their generic parameters only narrow which strings a caller may write.
export const untypedOf = (dl: DataLayer): UntypedLayer => dl as unknown as UntypedLayer;

/** Which entry a hook reads: one level of an item, or a collection with one params set. */
export interface Key {
  readonly kind: 'item' | 'collection';
  readonly name: string;
  /** Of an item; else `''`. */
  readonly id: Id;
  /** Of an item; a collection has the one. */
  readonly level: string;
  /** Of a collection. */
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

/** One read: fetches where needed (D-FETCH-9). */
export const readEntry = (layer: UntypedLayer, key: Key, options?: ReadOptions): Reference =>
  key.kind === 'item'
    ? layer.fetchItem(key.name, key.id, key.level, options)
    : layer.fetchCollection(key.name, { ...options, params: key.params });
