import { createDataLayer } from '@edict/core';
import { connectQueryClient } from '@edict/core/adapters/tanstack-query';
import { QueryClient } from '@tanstack/react-query';

// The announced changes arrive as invalidations, so time alone makes nothing stale.
export const queryClient = new QueryClient({ defaultOptions: { queries: { staleTime: 5 * 60_000 } } });

export const dl = createDataLayer();

connectQueryClient(dl, queryClient, {
  // The list has whole tickets, so a changed ticket concerns the list too.
  item: (type, id) => (key) =>
    type === 'ticket' &&
    (key[0] === 'tickets' || (key[0] === 'ticket' && (id === null || String(key[1]) === String(id)))),
  collection: (name) => [name],
});
dl.init();
