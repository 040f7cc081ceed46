import type { TypeName } from '@edict/core';
import * as React from 'react';
import { useScope } from './DLProvider.tsx';
import type { List } from './lists/items.ts';
import { listOf } from './lists/items.ts';
import type { GivenLevel, GivenLevelData, ItemRow, OrNull, ReadOptions } from './types.ts';
import type { MaybeId } from './binding/readMode.ts';
import { readModeOf } from './binding/readMode.ts';
import { newInstanceState } from './binding/instanceState.ts';
import { useStore } from './binding/useStore.ts';

/**
 * SourceGroup items at one level: a row for each id in its order, with one subscription and one bulk request (D-DIR-7). Ids may come
 * twice or be null (an empty row, D-REACT-7). A row keeps its identity until a field of it that was read changes.
 */
export function useItems<T extends TypeName, L extends GivenLevel<T> = undefined>(
  type: T,
  ids: readonly MaybeId[],
  level?: L,
  options?: ReadOptions,
): readonly ItemRow<OrNull<GivenLevelData<T, L>>>[] {
  if (!Array.isArray(ids))
    throw new TypeError(`useItems("${type}"): the ids must be an array; give [] where there are none yet`);
  const scope = useScope();
  const [memory] = React.useState(newInstanceState<List>);
  const mode = readModeOf(options?.enabled !== false, options?.silent === true, 'row');
  const { rows } = listOf(memory, { scope, name: type, ids, level: level ?? 'default', mode });
  // A row's data is the level's payload: the register's word for it.
  return rows.rowsOf(useStore(rows)) as unknown as readonly ItemRow<OrNull<GivenLevelData<T, L>>>[];
}
