import { notifyManager, QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import type { CreateScreen } from '../screen.ts';
import { getItem, putItem } from '../server.ts';

export const createScreen: CreateScreen = () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  const keyOf = (id: number): [string, number] => ['ticket', id];
  return {
    Provider: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
    useRow: (id) => useQuery({ queryKey: keyOf(id), queryFn: () => getItem(id) }).data,
    seed(items) {
      for (const item of items) client.setQueryData(keyOf(item.id), item);
    },
    write: (item) => () => void client.setQueryData(keyOf(item.id), item),
    writeAll: (items) => () =>
      notifyManager.batch(() => {
        for (const item of items) client.setQueryData(keyOf(item.id), item);
      }),
    async mutate(item) {
      await putItem(item);
      await client.invalidateQueries({ queryKey: keyOf(item.id) });
    },
    listeners: () =>
      client
        .getQueryCache()
        .getAll()
        .reduce((sum, query) => sum + query.getObserversCount(), 0),
    dispose: () => client.clear(),
  };
};
