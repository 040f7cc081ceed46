// RTK Query 2: `createApi` with tags, `initiate` for reads and subscriptions, and `invalidateTags`. A watcher is a selector that runs after
// each dispatch. All watchers share one store subscription, as in React-Redux.

import { configureStore } from '@reduxjs/toolkit';
import { createApi, fakeBaseQuery } from '@reduxjs/toolkit/query';
import type { Item, Page, Params } from '../backend.ts';
import type { CreateSubject } from '../subject.ts';

export const createRtk: CreateSubject = (backend) => {
  const api = createApi({
    baseQuery: fakeBaseQuery(),
    // The rounds take more virtual time than the default, after which RTK Query would remove data without a subscription.
    keepUnusedDataFor: 1e6,
    tagTypes: ['Ticket', 'Tickets'],
    endpoints: (build) => ({
      ticket: build.query<Item, number>({
        queryFn: async (id) => ({ data: await backend.item(id) }),
        providesTags: (_result, _error, id) => [{ type: 'Ticket', id }],
      }),
      tickets: build.query<Page, Params>({
        queryFn: async (params) => ({ data: await backend.list(params) }),
        providesTags: (_result, _error, { team }) => ['Tickets', { type: 'Tickets', id: `team-${team}` }],
      }),
    }),
  });
  const store = configureStore({
    reducer: { [api.reducerPath]: api.reducer },
    middleware: (defaults) => defaults().concat(api.middleware),
  });
  const { ticket, tickets } = api.endpoints;
  const selectors = new Map<number, ReturnType<typeof ticket.select>>();
  const select = (id: number): ReturnType<typeof ticket.select> => {
    const known = selectors.get(id);
    if (known !== undefined) return known;
    const made = ticket.select(id);
    selectors.set(id, made);
    return made;
  };
  const listeners = new Set<() => void>();
  let last = store.getState();
  store.subscribe(() => {
    // Without a new state, no selector returns another value.
    if (store.getState() === last) return;
    last = store.getState();
    for (const listener of listeners) listener();
  });

  function watch(
    read: () => unknown,
    subscription: { unsubscribe: () => void },
    told: (shown: unknown) => void,
  ): () => void {
    let before = read();
    const listener = (): void => {
      const now = read();
      if (now === before) return;
      before = now;
      told(now);
    };
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      subscription.unsubscribe();
    };
  }

  return {
    look: (id) => select(id)(store.getState()).data,
    read: (id) => void store.dispatch(ticket.initiate(id, { subscribe: false })),
    load: (id) => store.dispatch(ticket.initiate(id, { subscribe: false })).unwrap(),
    item: (id) => select(id)(store.getState()).data,
    watch(id, told) {
      const selector = select(id);
      return watch(() => selector(store.getState()).data, store.dispatch(ticket.initiate(id)), told);
    },
    invalidation: (ids) => () =>
      void store.dispatch(api.util.invalidateTags(ids.map((id) => ({ type: 'Ticket', id })))),
    readList: (params) => void store.dispatch(tickets.initiate(params, { subscribe: false })),
    list: (params) => tickets.select(params)(store.getState()).data,
    watchList(params, told) {
      const selector = tickets.select(params);
      return watch(() => selector(store.getState()).data, store.dispatch(tickets.initiate(params)), told);
    },
    listInvalidation: (team) => () =>
      void store.dispatch(
        api.util.invalidateTags([team === undefined ? 'Tickets' : { type: 'Tickets', id: `team-${team}` }]),
      ),
    seed(ids) {
      store.dispatch(
        api.util.upsertQueryEntries(
          ids.map((id) => ({ endpointName: 'ticket' as const, arg: id, value: backend.truth(id) })),
        ),
      );
    },
    dispose: () => void store.dispatch(api.util.resetApiState()),
  };
};
