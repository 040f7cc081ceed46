// solid.ts
import type { DataLayer, Id, ItemData, LevelName, TypeName } from '@edict/core';
import { createComputed, createSignal, onCleanup, untrack, type Accessor } from 'solid-js';
import { shown, watchItem, type Shown } from './watch.ts';

/** An item as a signal, another one whenever the id is another. */
export function createItem<T extends TypeName>(
  dl: DataLayer,
  type: T,
  id: Accessor<Id>,
  level: LevelName<T> | null = null,
): Accessor<Shown<ItemData<T>>> {
  const [item, setItem] = createSignal(shown(dl.getItemRef(type, id())));
  createComputed(() => {
    const now = id();
    // What the type's fetch function reads, such as a token, is none of this component's business.
    onCleanup(untrack(() => watchItem(dl, type, now, level, setItem)));
  });
  return item;
}
