// Stores the items of a list response. Each counts as requested when the list was requested (D-FETCH-6).

import type { Stored } from '../cache/store.ts';
import { idKey, isBusy, isWatched, type Flight, type Slot } from '../cache/entry.ts';
import { isMarked } from '../cache/staleness.ts';
import type { Id } from '../protocol/directive.ts';
import type { ListPayload } from './listResponse.ts';

export interface Needs extends Stored {
  recent: {
    /** Whether a directive that has named the record, or may have named it, passes the test. */
    some: (name: string, key: Id, test: (entry: { order: number }) => boolean) => boolean;
  };
}

/** @param due receives the slots that are watched and stale, and that nothing else will request */
export function storeItems(
  { env, cache, recent }: Needs,
  { order }: Flight,
  items: ListPayload['items'],
  due: Slot[],
): void {
  for (const { type, level, id, payload } of items) {
    const entry = cache.item(type, id);
    cache.store(cache.ensureSlot(entry, level), payload, order, env.now());
    const isNamedSince = recent.some(type.name, idKey(entry.id), (directive) => directive.order > order);
    for (const slot of entry.slots) {
      if (slot.answeredOrder !== order) continue;
      // A directive could not mark an item that was not cached.
      if (isNamedSince && !isMarked(slot)) cache.markStale(slot, order + 1);
      if (!isWatched(entry)) cache.setUnread(slot, true);
      else if (isMarked(slot) && !isBusy(slot)) due.push(slot);
    }
  }
}
