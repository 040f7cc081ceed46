import { useCallback, useSyncExternalStore } from 'react';
import type { CreateScreen, Item } from '../screen.ts';
import { getItem, putItem } from '../server.ts';

/** The floor, by hand: a Map, Sets of listeners, and `useSyncExternalStore`. */
export const createScreen: CreateScreen = () => {
  const items = new Map<number, Item>();
  const listeners = new Map<number, Set<() => void>>();
  const write = (item: Item): void => {
    items.set(item.id, item);
    for (const listener of listeners.get(item.id) ?? []) listener();
  };
  return {
    Provider: ({ children }) => children,
    useRow: (id) =>
      useSyncExternalStore(
        useCallback(
          (listener) => {
            let set = listeners.get(id);
            if (set === undefined) listeners.set(id, (set = new Set()));
            set.add(listener);
            return () => set.delete(listener);
          },
          [id],
        ),
        () => items.get(id),
      ),
    seed(all) {
      for (const item of all) items.set(item.id, item);
    },
    write: (item) => () => write(item),
    writeAll: (all) => () => {
      for (const item of all) items.set(item.id, item);
      for (const item of all) for (const listener of listeners.get(item.id) ?? []) listener();
    },
    async mutate(item) {
      await putItem(item);
      write(await getItem(item.id));
    },
    listeners: () => [...listeners.values()].reduce((sum, { size }) => sum + size, 0),
  };
};
