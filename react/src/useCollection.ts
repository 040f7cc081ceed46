import type { CollectionData, CollectionName, CollectionParams } from '@edict/core';
import { useScope } from './DLProvider.tsx';
import type { CollectionSnapshot, UseCollectionOptions } from './types.ts';
import { useCollectionSource, useSourceState } from './binding/useSource.ts';
import { readModeOf } from './binding/readMode.ts';
import { storeOf } from './binding/storeOf.ts';
import { useStore } from './binding/useStore.ts';

/**
 * The ids of a collection with one set of params (D-REACT-2). Throws while rendering for an unregistered name and for params
 * without a JSON form; a failed fetch is in `meta.error`. Each row reads its own item.
 *
 * ```tsx
 * import { useCollection, useItem } from '@edict/react';
 *
 * function Row({ id }: { id: string | number }) {
 *   return <li>{JSON.stringify(useItem('ticket', id).data)}</li>;
 * }
 *
 * function List({ page }: { page: number }) {
 *   const { data, meta } = useCollection('tickets', { params: { status: 'open', page }, keepPrevious: true });
 *   const rows = data.ids.map((id) => <Row key={id} id={id} />);
 *   return <ul aria-busy={meta.isLoading}>{rows}</ul>;
 * }
 * ```
 */
export function useCollection<C extends CollectionName, R = CollectionData>(
  name: C,
  options?: UseCollectionOptions<CollectionParams<C>, R>,
): CollectionSnapshot<R, CollectionParams<C>> {
  const scope = useScope();
  const memory = useSourceState();
  const mode = readModeOf(options?.enabled !== false, options?.silent === true, 'plain');
  // Params are objects: the register says so.
  const params = options?.params as object | null | undefined;
  const source = useCollectionSource(memory, scope, name, params, mode, options?.keepPrevious === true);
  // The snapshot's data is what the collection or the select gives.
  return useStore(storeOf(source, memory, options)) as unknown as CollectionSnapshot<R, CollectionParams<C>>;
}
