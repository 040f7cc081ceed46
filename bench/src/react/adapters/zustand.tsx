import { create } from 'zustand';
import type { CreateScreen, Item } from '../screen.ts';
import { getItem, putItem } from '../server.ts';

export const createScreen: CreateScreen = () => {
  const useStore = create<{ items: Readonly<Record<number, Item>> }>(() => ({ items: {} }));
  let listeners = 0;
  const { subscribe } = useStore;
  useStore.subscribe = (listener) => {
    listeners++;
    const stop = subscribe(listener);
    return () => {
      listeners--;
      stop();
    };
  };
  const write = (item: Item): void =>
    useStore.setState(({ items }) => ({ items: { ...items, [item.id]: item } }));
  return {
    Provider: ({ children }) => children,
    useRow: (id) => useStore(({ items }) => items[id]),
    seed: (items) => useStore.setState({ items: Object.fromEntries(items.map((item) => [item.id, item])) }),
    write: (item) => () => write(item),
    async mutate(item) {
      await putItem(item);
      write(await getItem(item.id));
    },
    writeAll: (all) => () =>
      useStore.setState(({ items }) => ({
        items: { ...items, ...Object.fromEntries(all.map((item) => [item.id, item])) },
      })),
    listeners: () => listeners,
  };
};
