// What an inline result becomes in a cache that is not ours.

import type { Id } from '@edict/core';
import type { Change } from './changes.ts';

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
export function dataOf(change: Change, { itemData, collectionData }: ResultOptions): unknown {
  const { result } = change;
  if (result === null) return undefined;
  if (change.kind === 'collection') return collectionData?.(change.name, change.params, result.value);
  return change.id === null ? undefined : itemData?.(change.type, change.id, change.level, result.value);
}
