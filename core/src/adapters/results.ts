// Converts an inline result into data of the other cache.

import type { Id } from '@edict/core';
import type { Change } from './changes.ts';
import type { Guard } from './guard.ts';

/** Conversion of inline results. */
export interface ResultOptions {
  /**
   * Converts an inline `result` into the data of exactly this item's key. Return `undefined` to refetch instead. Default: inline results
   * are not used, because only the application knows the shape of its data.
   */
  itemData?: (type: string, id: Id, level: string | null, result: unknown) => unknown;
  /** Converts an inline `result` of a collection (`{ ids, count? }`) in the same way. */
  collectionData?: (
    name: string,
    params: Readonly<Record<string, unknown>> | null,
    result: unknown,
  ) => unknown;
}

/** The new data for the key of a change, or `undefined` if it must be refetched. */
export function dataOf(change: Change, { itemData, collectionData }: ResultOptions, guard: Guard): unknown {
  const { result } = change;
  if (result === null) return undefined;
  if (change.kind === 'collection') {
    const { name, params } = change;
    return guard.run(
      'the option collectionData',
      () => collectionData?.(name, params, result.value),
      undefined,
    );
  }
  const { type, id, level } = change;
  if (id === null) return undefined;
  return guard.run('the option itemData', () => itemData?.(type, id, level, result.value), undefined);
}
