// watch.ts
import type { DataLayer, Id, ItemData, ItemReference, LevelName, TypeName } from '@edict/core';

/** An item at one moment. */
export type Shown<T> = Pick<ItemReference<T>, 'data' | 'meta'>;

export const shown = <T>({ data, meta }: ItemReference<T>): Shown<T> => ({ data, meta });

/** Reads an item, and shows it now and after each change. Returns what ends it. */
export function watchItem<T extends TypeName>(
  dl: DataLayer,
  type: T,
  id: Id,
  level: LevelName<T> | null,
  show: (item: Shown<ItemData<T>>) => void,
): () => void {
  const ref = dl.fetchItem(type, id, level);
  const end = dl.onRefChange(ref, () => show(shown(ref)));
  show(shown(ref));
  return end;
}
