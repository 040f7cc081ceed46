// TanStack Query 5 without React. A read is `fetchQuery`. A watcher is a QueryObserver of the data, like the one that a hook creates for a
// component that reads only the data. An invalidation is `invalidateQueries` by key, by partial key, or by predicate for a list of items.

import { notifyManager, QueryClient, type QueryKey, QueryObserver } from '@tanstack/query-core';
import type { Item, Page, Params } from '../backend.ts';
import type { CreateSubject } from '../subject.ts';

export const createTanstack: CreateSubject = (backend) => {
  // The rounds take more virtual time than the default `gcTime`, after which TanStack Query would remove queries without an observer.
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Infinity, gcTime: 1e9, retry: false } },
  });
  client.mount();
  const itemQuery = (id: number): { queryKey: [string, number]; queryFn: () => Promise<Item> } => ({
    queryKey: ['ticket', id],
    queryFn: () => backend.item(id),
  });
  const listQuery = (params: Params): { queryKey: [string, Params]; queryFn: () => Promise<Page> } => ({
    queryKey: ['tickets', params],
    queryFn: () => backend.list(params),
  });
  const watch = <T>(
    { queryKey, queryFn }: { queryKey: QueryKey; queryFn: () => Promise<T> },
    told: (shown: unknown) => void,
  ): (() => void) => {
    const observer = new QueryObserver(client, { queryKey, queryFn, notifyOnChangeProps: ['data'] });
    return observer.subscribe(({ data }) => told(data));
  };
  return {
    look: (id) => client.getQueryData(['ticket', id]),
    read: (id) => void client.fetchQuery(itemQuery(id)),
    load: (id) => client.fetchQuery(itemQuery(id)),
    item: (id) => client.getQueryData<Item>(['ticket', id]),
    watch: (id, told) => watch(itemQuery(id), told),
    invalidation: (ids) => () => {
      const [id] = ids;
      if (ids.length === 1) void client.invalidateQueries({ queryKey: ['ticket', id] });
      else {
        const set = new Set<unknown>(ids);
        void client.invalidateQueries({
          predicate: ({ queryKey }) => queryKey[0] === 'ticket' && set.has(queryKey[1]),
        });
      }
    },
    readList: (params) => void client.fetchQuery(listQuery(params)),
    list: (params) => client.getQueryData<Page>(['tickets', params]),
    watchList: (params, told) => watch(listQuery(params), told),
    listInvalidation: (team) => () => {
      void client.invalidateQueries({ queryKey: team === undefined ? ['tickets'] : ['tickets', { team }] });
    },
    seed(ids) {
      notifyManager.batch(() => {
        for (const id of ids) client.setQueryData(['ticket', id], backend.truth(id));
      });
    },
    dispose() {
      client.unmount();
      client.clear();
    },
  };
};
