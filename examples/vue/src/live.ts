// Items and lists as Vue refs. Copy this file into your project.

import { DL, type Id, type ItemDefinition, type Reference } from '@edict/core';
import { shallowRef, toValue, watch, type MaybeRefOrGetter, type ShallowRef } from 'vue';

type Shown<R extends Reference> = Pick<R, 'data' | 'meta'>;

const shown = <R extends Reference>({ data, meta }: R): Shown<R> => ({ data, meta });

/** Follows what `read` returns for a key, and reads again when the key changes. Shallow, because Vue must not make cached data reactive. */
export function useLive<K, R extends Reference>(
  key: MaybeRefOrGetter<K>,
  read: (key: K) => R,
): Readonly<ShallowRef<Shown<R>>> {
  const ref = shallowRef(shown(read(toValue(key))));
  watch(
    () => toValue(key),
    (now, _, onCleanup) => {
      const reference = read(now);
      onCleanup(DL.onRefChange(reference, () => (ref.value = shown(reference))));
      ref.value = shown(reference);
    },
    { immediate: true },
  );
  return ref;
}

/** An item, and another one when the id changes. */
export const useItem = <N extends string, I extends Id, L extends object>(
  type: ItemDefinition<N, I, L>,
  id: MaybeRefOrGetter<I>,
) => useLive(id, (now) => DL.fetchItem(type, now));
