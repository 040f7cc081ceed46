// Directives as a server sends them; what tests add may be wrong, which the builders of `@edict/core/protocol` refuse.

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

/** Shows a data layer that it has missed an envelope. A resync follows. */
export function missOne(dl: Pick<DataLayer, 'ingestEnvelope'>): void {
  for (const seq of [1, 3])
    dl.ingestEnvelope({ type: 'directives', audience: 'global', seq, directives: [refreshList('other')] });
}
