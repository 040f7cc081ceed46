import type { Id, TypeName } from '@edict/core';
import { useScope } from './DLProvider.tsx';
import type { GivenLevel, GivenLevelData, ItemSnapshot, OrNull, UseItemOptions } from './types.ts';
import { useItemSource, useSourceState } from './binding/useSource.ts';
import { readModeOf } from './binding/readMode.ts';
import { storeOf } from './binding/storeOf.ts';
import { useStore } from './binding/useStore.ts';

/**
 * One item at one level, fetched when the component mounts and kept as the server says (D-REACT-2). Throws while rendering
 * for an unregistered type; a failed fetch is in `meta.error`.
 *
 * ```tsx
 * import { useItem } from '@edict/react';
 *
 * function Title({ id }: { id: number }) {
 *   const { data, meta, refresh } = useItem('ticket', id, 'default', {
 *     select: (ticket) => (ticket as { title: string } | null)?.title ?? '…',
 *   });
 *   return meta.error === null ? <h1>{data}</h1> : <button onClick={refresh}>{meta.error}</button>;
 * }
 * ```
 */
export function useItem<
  T extends TypeName,
  L extends GivenLevel<T> = undefined,
  R = OrNull<GivenLevelData<T, L>>,
>(
  type: T,
  id: Id | null | undefined,
  level?: L,
  options?: UseItemOptions<GivenLevelData<T, L>, R>,
): ItemSnapshot<R> {
  const scope = useScope();
  const memory = useSourceState();
  const isEnabled = id !== null && id !== undefined && options?.enabled !== false;
  const mode = readModeOf(isEnabled, options?.silent === true, 'plain');
  const source = useItemSource(memory, scope, type, id, level, mode, options?.keepPrevious === true);
  // The snapshot's data is what the level's payload or the select gives: the register's word for it.
  return useStore(storeOf(source, memory, options)) as unknown as ItemSnapshot<R>;
}
