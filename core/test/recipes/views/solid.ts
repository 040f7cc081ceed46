// solid.ts
import type { DataLayer, Id, ItemDefinition } from '@edict/core';
import { createComputed, createSignal, onCleanup, untrack, type Accessor } from 'solid-js';
import { shown, watchItem, type Shown } from './watch.ts';

/** An item as a signal. Follows changes of the id. */
export function createItem<I extends Id, Levels extends object>(
  dl: DataLayer,
  type: ItemDefinition<string, I, Levels>,
  id: Accessor<I>,
): Accessor<Shown<Levels>> {
  const [item, setItem] = createSignal(shown(dl.getItemRef(type, id())));
  createComputed(() => {
    const now = id();
    // Without `untrack`, the signal would also track what the type's fetch function reads, such as a token.
    onCleanup(untrack(() => watchItem(dl, type, now, setItem)));
  });
  return item;
}
