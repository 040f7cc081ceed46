import useSWR, { SWRConfig } from 'swr';
import { initCache, SWRGlobalState } from 'swr/_internal';
import type { CreateScreen, Item } from '../screen.ts';
import { getItem, putItem } from '../server.ts';

export const createScreen: CreateScreen = () => {
  const cache = new Map<string, { data?: unknown }>();
  const provider = (): typeof cache => cache;
  const config = {
    provider: provider as never,
    revalidateIfStale: false,
    revalidateOnFocus: false,
    revalidateOnReconnect: false,
  };
  // Initializes the cache like the provider when it mounts. The `mutate` is the same as the one of `useSWRConfig`.
  const [, mutate] = initCache(cache as never) as unknown as [
    unknown,
    (key: string, item?: Item, options?: { revalidate: false }) => Promise<unknown>,
  ];
  const keyOf = (id: number): string => `/tickets/${id}`;
  const fetcher = (key: string): Promise<Item> => getItem(Number(key.slice('/tickets/'.length)));
  return {
    Provider: ({ children }) => <SWRConfig value={config}>{children}</SWRConfig>,
    useRow: (id) => useSWR<Item>(keyOf(id), fetcher).data,
    seed(items) {
      for (const item of items) cache.set(keyOf(item.id), { data: item });
    },
    write: (item) => () => void mutate(keyOf(item.id), item, { revalidate: false }),
    // SWR has no way to write many keys at once.
    writeAll: (items) => () => {
      for (const item of items) void mutate(keyOf(item.id), item, { revalidate: false });
    },
    async mutate(item) {
      await putItem(item);
      await mutate(keyOf(item.id));
    },
    listeners() {
      const [revalidators] = (SWRGlobalState.get(cache as never) ?? [{}]) as unknown as [
        Record<string, unknown[]>,
      ];
      return Object.values(revalidators).reduce((sum, list) => sum + list.length, 0);
    },
  };
};
