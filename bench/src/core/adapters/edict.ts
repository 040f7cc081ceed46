// Edict: `bulkFetch` on the type, directives as a server sends them.

import { createDataLayer } from '@edict/core';
import type { Page } from '../backend.ts';
import type { CreateSubject } from '../subject.ts';

export const createEdict: CreateSubject = (backend, { bulk, held }) => {
  const dl = createDataLayer();
  dl.init({
    sse: { enabled: false },
    // The workloads hold more than the defaults would keep.
    memory: { maxItemsPerType: Infinity, maxCollectionRefsPerCollection: Infinity },
    bulk: { refetch: held ? 'held' : 'watched' },
  });
  const stalenessMs = 1e9;
  dl.createType('ticket', {
    stalenessMs,
    fetch: (id) => backend.item(Number(id)),
    ...(bulk ? { bulkFetch: (ids) => backend.items(ids as number[]) } : {}), // All ids here are numbers.
  });
  dl.createCollection('tickets', {
    stalenessMs,
    fetch: (params) => backend.list(params as never), // Only called with the params below.
  });
  const seedOne = (id: number): void => {
    dl.fetchItem('ticket', id);
  };
  return {
    look: (id) => dl.getItemRef('ticket', id).data,
    read: seedOne,
    item: (id) => dl.getItemRef('ticket', id).data as ReturnType<typeof backend.truth> | undefined, // Of the type above.
    watch: (id, told) => dl.onRefChange(dl.fetchItem('ticket', id), told),
    invalidate(ids) {
      void dl.applyDirectives(ids.map((id) => ({ op: 'refresh_item', name: 'ticket', id })));
    },
    readList(params) {
      dl.fetchCollection('tickets', { params });
    },
    list(params) {
      const { data, meta } = dl.getCollectionRef('tickets', { params });
      // The answer of the backend is kept as it came.
      return meta.lastFetched === null ? undefined : (data as Page);
    },
    watchList: (params, told) => dl.onRefChange(dl.fetchCollection('tickets', { params }), told),
    invalidateLists(team) {
      const directive = { op: 'refresh_collection', name: 'tickets' };
      void dl.applyDirectives([
        team === undefined ? directive : { ...directive, params: { team }, params_mode: 'contains' },
      ]);
    },
    seed: (ids) => ids.forEach(seedOne),
    apply: (directives) => void dl.applyDirectives(directives),
    dispose: dl.dispose,
  };
};
