// svelte.ts
import type { DataLayer, Id, ItemData, LevelName, TypeName } from '@edict/core';
import { readable, type Readable } from 'svelte/store';
import { shown, watchItem, type Shown } from './watch.ts';

/** An item as a store: `$ticket.data` in a component. It is watched as long as somebody subscribes. */
export function itemStore<T extends TypeName>(
  dl: DataLayer,
  type: T,
  id: Id,
  level: LevelName<T> | null = null,
): Readable<Shown<ItemData<T>>> {
  return readable(shown(dl.getItemRef(type, id)), (set) => watchItem(dl, type, id, level, set));
}
