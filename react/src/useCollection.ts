import type {
  CollectionData,
  CollectionDefinition,
  CollectionName,
  CollectionParams,
  Id,
  CollectionArguments,
} from '@edict/core';
import { nameOf } from '@edict/core/internal';
import { checkOptions } from './binding/checkOptions.ts';
import { collectionKey } from './binding/untyped.ts';
import { useEntry } from './binding/useSource.ts';
import type { CollectionSnapshot, UseCollectionOptions } from './types.ts';

/**
 * Reads the ids of a collection with one set of params. Each row reads its own item. A failed fetch is in `error`. Throws while rendering if the
 * collection is not registered, or if the params have no JSON form.
 *
 * ```tsx
 * import { useCollection, useItem } from '@edict/react';
 *
 * function Row({ id }: { id: string | number }) {
 *   return <li>{JSON.stringify(useItem('ticket', id).data)}</li>;
 * }
 *
 * function List({ page }: { page: number }) {
 *   const { data, isFetching } = useCollection('tickets', { params: { status: 'open', page }, keepPrevious: true });
 *   const rows = data.ids.map((id) => <Row key={id} id={id} />);
 *   return <ul aria-busy={isFetching}>{rows}</ul>;
 * }
 * ```
 */
export function useCollection<
  C extends CollectionName,
  P = CollectionParams<C>,
  I extends Id = Id,
  Info = unknown,
  R = CollectionData<I, Info>,
>(
  collection: C | CollectionDefinition<string, P, I, Info>,
  ...options: CollectionArguments<
    NoInfer<P>,
    UseCollectionOptions<NoInfer<P>, R, CollectionData<NoInfer<I>, NoInfer<Info>>>
  >
): CollectionSnapshot<R, P>;
export function useCollection(
  collection: { name: string } | string,
  options?: UseCollectionOptions<object, unknown, never>,
): unknown {
  const name = nameOf(collection);
  if (process.env.NODE_ENV !== 'production')
    checkOptions(`useCollection("${name}")`, options, 'params enabled silent keepPrevious select isEqual');
  return useEntry(collectionKey(name, options?.params), true, options).shown.snapshot;
}
