// Stores the items of a list response. Each counts as requested when the list was requested (D-FETCH-6).

import type { Cache } from '../cache/store.ts';
import type { Slot } from '../cache/entry.ts';
import { isBusy, isWatched, keyOf, slotsOf } from '../cache/entry.ts';
import { isMarked } from '../cache/staleness.ts';
import type { Id } from '../protocol/directive.ts';
import type { ListPayload } from './listResponse.ts';

/** The order of the last directive, after the given order, that has or may have named an item of the type; 0 if there is none. */
export type LastNamedSince = (type: string, order: number) => (key: Id) => number;

/** Returns the slots that are watched and stale, and that nothing else will request. */
export function storeItems(
  cache: Cache,
  lastNamedSince: LastNamedSince,
  { type, level, items }: ListPayload,
  { order, stamp }: { order: number; stamp: number },
): Slot[] {
  const lastNamed = lastNamedSince(type.name, order);
  const due: Slot[] = [];
  for (const { id, payload } of items) {
    const entry = cache.item(type, id);
    cache.store(cache.hold(entry, level), payload, order, stamp);
    const staleOrder = lastNamed(keyOf(entry));
    for (const slot of slotsOf(entry)) {
      if (slot.answered !== order) continue;
      // A directive could not mark the items that were not cached.
      if (staleOrder > slot.marked) cache.markStale(slot, staleOrder);
      if (!isWatched(entry)) cache.setUnread(slot, true);
      else if (isMarked(slot) && !isBusy(slot)) due.push(slot);
    }
  }
  return due;
}
