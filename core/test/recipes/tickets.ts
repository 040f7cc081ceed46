// tickets.ts
import type { DataLayer } from '@edict/core';

/** The application's registry. `request` is `fetch` in the browser, and the simulation's in tests. */
export function registerTickets(dl: DataLayer, request: typeof fetch): void {
  dl.createType('ticket', {
    fetch: async (id, { signal }) => (await request(`/api/tickets/${id}`, { signal })).json(),
    bulkFetch: async (ids, _, { signal }) =>
      (await request(`/api/tickets?ids=${ids.join()}`, { signal })).json(),
  });
  dl.createCollection('tickets', {
    fetch: async (params, { signal }) => {
      const query = new URLSearchParams(params as Record<string, string> | undefined);
      return (await request(`/api/tickets/ids?${query}`, { signal })).json();
    },
  });
}
