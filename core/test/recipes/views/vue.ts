// vue.ts
import type { DataLayer, Id, ItemDefinition } from '@edict/core';
import { shallowRef, toValue, watch, type MaybeRefOrGetter, type ShallowRef } from 'vue';
import { shown, watchItem, type Shown } from './watch.ts';

/** An item for a component. Follows changes of the id. Shallow, so that Vue does not make the cached data reactive. */
export function useItem<I extends Id, Levels extends object>(
  dl: DataLayer,
  type: ItemDefinition<string, I, Levels>,
  id: MaybeRefOrGetter<I>,
): Readonly<ShallowRef<Shown<Levels>>> {
  const item = shallowRef(shown(dl.getItemRef(type, toValue(id))));
  // `watchEffect` would also track what the type's fetch function reads, such as a token.
  watch(
    () => toValue(id),
    (now, _, onCleanup) => {
      const end = watchItem(dl, type, now, (next) => {
        item.value = next;
      });
      onCleanup(end);
    },
    { immediate: true },
  );
  return item;
}
