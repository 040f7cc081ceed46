// svelte.ts
import type { DataLayer, Id, ItemDefinition } from '@edict/core';
import { readable, type Readable } from 'svelte/store';
import { shown, watchItem, type Shown } from './watch.ts';

/** An item as a store: `$item.data` in a component. It is watched as long as the store has subscribers. */
export function itemStore<I extends Id, Levels extends object>(
  dl: DataLayer,
  type: ItemDefinition<string, I, Levels>,
  id: I,
): Readable<Shown<Levels>> {
  return readable(shown(dl.getItemRef(type, id)), (set) => watchItem(dl, type, id, set));
}
