// watch.ts
import type { DataLayer, Id, ItemDefinition, ItemReference, MergedLevels } from '@edict/core';

/** The state of an item. */
export type Shown<Levels> = Pick<ItemReference<MergedLevels<Levels>>, 'data' | 'meta'>;

export const shown = <D>({ data, meta }: ItemReference<D>): Pick<ItemReference<D>, 'data' | 'meta'> => ({
  data,
  meta,
});

/** Reads an item, and shows it now and after each change. Returns a function that stops. */
export function watchItem<I extends Id, Levels extends object>(
  dl: DataLayer,
  type: ItemDefinition<string, I, Levels>,
  id: I,
  show: (item: Shown<Levels>) => void,
): () => void {
  const ref = dl.fetchItem(type, id);
  const end = dl.onRefChange(ref, () => show(shown(ref)));
  show(shown(ref));
  return end;
}
