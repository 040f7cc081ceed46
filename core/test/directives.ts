// Directives as a server sends them. Tests can add invalid fields, which the builders of `@edict/core/protocol` reject.

import type { DataLayer, Id } from '@edict/core';

/** A directive of the server contract for one item. */
export const refreshItem = (name: string, id: Id, more: object = {}): object => ({
  op: 'refresh_item',
  name,
  id,
  ...more,
});

/** A directive of the server contract for a collection. */
export const refreshList = (name: string, more: object = {}): object => ({
  op: 'refresh_collection',
  name,
  ...more,
});

/** An envelope of the audience `global`. */
export const envelope = (seq: number, directives: readonly object[] = [], more: object = {}): object => ({
  type: 'directives',
  audience: 'global',
  seq,
  directives,
  ...more,
});

/** Makes a data layer detect a missed envelope. A resync follows. */
export function missOne(dl: Pick<DataLayer, 'ingestEnvelope'>): void {
  for (const seq of [1, 3]) dl.ingestEnvelope(envelope(seq, [refreshList('other')]));
}
