// vue.ts
import type { DataLayer, Id, ItemData, LevelName, TypeName } from '@edict/core';
import { shallowRef, toValue, watch, type MaybeRefOrGetter, type ShallowRef } from 'vue';
import { shown, watchItem, type Shown } from './watch.ts';

/** An item for a component, another one whenever the id is another. Shallow: what the data layer holds is not made reactive. */
export function useItem<T extends TypeName>(
  dl: DataLayer,
  type: T,
  id: MaybeRefOrGetter<Id>,
  level: LevelName<T> | null = null,
): Readonly<ShallowRef<Shown<ItemData<T>>>> {
  const item = shallowRef(shown(dl.getItemRef(type, toValue(id))));
  // Not `watchEffect`: what the type's fetch function reads, such as a token, is none of this component's business.
  watch(
    () => toValue(id),
    (now, _, onCleanup) => {
      const end = watchItem(dl, type, now, level, (next) => {
        item.value = next;
      });
      onCleanup(end);
    },
    { immediate: true },
  );
  return item;
}
