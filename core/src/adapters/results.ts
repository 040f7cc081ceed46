// What an inline result becomes in a cache that is not ours.

import type { Id } from '@edict/core';
import type { Change } from './changes.ts';
import type { Guard } from './guard.ts';

/** What an application says of inline results. */
export interface ResultOptions {
  /**
   * What exactly this item's key holds, made of an inline `result`; `undefined`: ask the server. Default: inline results are not taken
   * over, since only the application knows the form of its data.
   */
  itemData?: (type: string, id: Id, level: string | null, result: unknown) => unknown;
  /** The same for a collection, whose `result` is `{ ids, count? }`. */
  collectionData?: (name: string, params: object | null, result: unknown) => unknown;
}

/** What the key of a change holds from now on; `undefined`: it is to be asked for. */
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
