import { configureStore } from '@reduxjs/toolkit';
import { createApi, fakeBaseQuery } from '@reduxjs/toolkit/query/react';
import { Provider } from 'react-redux';
import type { CreateScreen, Item } from '../screen.ts';
import { getItem, putItem } from '../server.ts';

export const createScreen: CreateScreen = () => {
  const api = createApi({
    baseQuery: fakeBaseQuery(),
    tagTypes: ['Ticket'],
    endpoints: (build) => ({
      ticket: build.query<Item, number>({
        queryFn: async (id) => ({ data: await getItem(id) }),
        providesTags: (_result, _error, id) => [{ type: 'Ticket', id }],
      }),
      change: build.mutation<null, Item>({
        async queryFn(item) {
          await putItem(item);
          return { data: null };
        },
        invalidatesTags: (_result, _error, { id }) => [{ type: 'Ticket', id }],
      }),
    }),
  });
  const store = configureStore({
    reducer: { [api.reducerPath]: api.reducer },
    middleware: (defaults) => defaults().concat(api.middleware),
  });
  const { useTicketQuery } = api;
  const writeAll = (items: readonly Item[]): void =>
    void store.dispatch(
      api.util.upsertQueryEntries(
        items.map((item) => ({ endpointName: 'ticket' as const, arg: item.id, value: item })),
      ),
    );
  return {
    Provider: ({ children }) => <Provider store={store}>{children}</Provider>,
    useRow: (id) => useTicketQuery(id).data,
    seed: writeAll,
    writeAll: (items) => () => writeAll(items),
    mutate: (item) => store.dispatch(api.endpoints.change.initiate(item)).unwrap(),
    write: (item) => () => void store.dispatch(api.util.updateQueryData('ticket', item.id, () => item)),
    listeners: () =>
      Object.values(store.getState()[api.reducerPath].subscriptions).reduce(
        (sum, subscribers) => sum + Object.keys(subscribers ?? {}).length,
        0,
      ),
  };
};
