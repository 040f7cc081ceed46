// vue.ts
import type { DataLayer, Id, ItemData, LevelName, TypeName } from '@edict/core';
import { shallowRef, toValue, watchEffect, type MaybeRefOrGetter, type ShallowRef } from 'vue';
import { shown, watchItem, type Shown } from './watch.ts';

/** An item for a component, another one whenever the id is another. Shallow: what the data layer holds is not made reactive. */
export function useItem<T extends TypeName>(
  dl: DataLayer,
  type: T,
  id: MaybeRefOrGetter<Id>,
  level: LevelName<T> | null = null,
): Readonly<ShallowRef<Shown<ItemData<T>>>> {
  const item = shallowRef(shown(dl.getItemRef(type, toValue(id))));
  watchEffect((onCleanup) => {
    const end = watchItem(dl, type, toValue(id), level, (next) => {
      item.value = next;
    });
    onCleanup(end);
  });
  return item;
}
