// Edict. The type has a `bulkFetch`, and messages are envelopes of a hub that arrive through a transport.

import { createDataLayer } from '@edict/core';
import { connectHub } from '../../hub.ts';
import type { Page } from '../backend.ts';
import type { CreateSubject } from '../subject.ts';

export const createEdict: CreateSubject = (backend, { bulk, held }) => {
  const dl = createDataLayer();
  const { message } = connectHub(dl);
  dl.init({
    // The workloads cache more entries than the default limits allow.
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
    load: (id) => dl.ensureItem('ticket', id),
    item: (id) => dl.getItemRef('ticket', id).data as ReturnType<typeof backend.truth> | undefined, // The payload of the type above.
    watch(id, told) {
      const ref = dl.fetchItem('ticket', id);
      return dl.onRefChange(ref, () => told(ref.data));
    },
    invalidation: (ids) => message(ids.map((id) => ({ op: 'refresh_item', name: 'ticket', id }))),
    readList(params) {
      dl.fetchCollection('tickets', { params });
    },
    list(params) {
      const { data, meta } = dl.getCollectionRef('tickets', { params });
      // The data has the fields of the backend's response.
      return meta.lastFetched === null ? undefined : (data as Page);
    },
    watchList(params, told) {
      const ref = dl.fetchCollection('tickets', { params });
      return dl.onRefChange(ref, () => told(ref.data));
    },
    listInvalidation(team) {
      const directive = { op: 'refresh_collection', name: 'tickets' };
      return message([
        team === undefined ? directive : { ...directive, params: { team }, params_mode: 'contains' },
      ]);
    },
    seed: (ids) => ids.forEach(seedOne),
    dispose: dl.dispose,
  };
};
