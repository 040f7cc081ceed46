// adapter.ts
import { createDataLayer } from '@edict/core';
import { connectQueryClient } from '@edict/core/adapters/tanstack-query';
import { QueryClient } from '@tanstack/query-core';

export const queryClient = new QueryClient();
export const dl = createDataLayer();
connectQueryClient(dl, queryClient); // Keys are ['ticket', 7] and ['tickets', params].
dl.init(); // Connects to /api/events.
