// Items and lists as Vue refs. Copy this file into your project.

import { DL, type CollectionDefinition, type Id, type ItemDefinition, type Reference } from '@edict/core';
import { shallowRef, toValue, watch, type MaybeRefOrGetter, type ShallowRef } from 'vue';

type Shown<R extends Reference> = Pick<R, 'data' | 'meta'>;

const shown = <R extends Reference>({ data, meta }: R): Shown<R> => ({ data, meta });

/** Follows the reference that `read` returns for a key. Shallow, because Vue must not make cached data reactive. */
function follow<K, R extends Reference>(key: MaybeRefOrGetter<K>, read: (key: K) => R): ShallowRef<Shown<R>> {
  const ref = shallowRef() as ShallowRef<Shown<R>>;
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
) => follow(id, (now) => DL.fetchItem(type, now));

/** A list, and another one when the params change. */
export const useCollection = <N extends string, P, I extends Id, F>(
  collection: CollectionDefinition<N, P, I, F>,
  params?: MaybeRefOrGetter<P>,
) =>
  follow(params as MaybeRefOrGetter<P>, (now) =>
    DL.fetchCollection(collection, ...([{ params: now }] as never)),
  );
