// rtkQuery.ts
import type { DataLayer } from '@edict/core';
import { connectCache, type CacheOptions, type Change } from '@edict/core/adapters/cache';
import { configureStore } from '@reduxjs/toolkit';
import { createApi, fetchBaseQuery, type BaseQueryFn, type FetchArgs } from '@reduxjs/toolkit/query';

interface Ticket {
  id: number;
  title: string;
}

/** An application that has RTK Query. */
export function createTickets(
  baseQuery: BaseQueryFn<string | FetchArgs> = fetchBaseQuery({ baseUrl: '/api', timeout: 10_000 }),
) {
  const api = createApi({
    baseQuery,
    tagTypes: ['Ticket'],
    endpoints: (build) => ({
      ticket: build.query<Ticket, number>({
        query: (id) => `/tickets/${id}`,
        providesTags: (_ticket, _error, id) => [{ type: 'Ticket', id }],
      }),
      tickets: build.query<Ticket[], { team?: string }>({
        query: (params) => ({ url: '/tickets', params }),
        providesTags: (tickets = []) => [
          { type: 'Ticket', id: 'LIST' },
          ...tickets.map(({ id }) => ({ type: 'Ticket' as const, id })),
        ],
      }),
    }),
  });
  const store = configureStore({
    reducer: { [api.reducerPath]: api.reducer },
    middleware: (defaults) => defaults().concat(api.middleware),
  });
  return { api, store };
}

type Tickets = ReturnType<typeof createTickets>;

/** The type of tag for each name that the server uses. */
const tagTypes = new Map<string, 'Ticket'>([
  ['ticket', 'Ticket'],
  ['tickets', 'Ticket'],
]);

/** The tags of a change. None if the change does not concern this cache. */
function tagsOf(change: Change) {
  const type = tagTypes.get(change.kind === 'item' ? change.type : change.name);
  if (type === undefined) return [];
  if (change.kind === 'collection') return [{ type, id: 'LIST' }];
  return [change.id === null ? type : { type, id: change.id }]; // Null: every ticket.
}

/** Applies the server's directives to the cache. Returns a function that ends it. */
export function goLive(dl: DataLayer, { api, store }: Tickets, options?: CacheOptions): () => void {
  return connectCache(
    dl,
    {
      changed: (changes) => void store.dispatch(api.util.invalidateTags(changes.flatMap(tagsOf))),
      resync: () => void store.dispatch(api.util.invalidateTags(['Ticket'])),
    },
    options,
  );
}
