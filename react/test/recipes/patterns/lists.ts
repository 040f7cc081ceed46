// lists.ts
import type { DataLayer } from '@edict/core';

/** A list arrives together with its rows. `request` is `fetch`. */
export function registerTickets(dl: DataLayer, request: typeof fetch): void {
  const getJson = async (path: string, signal: AbortSignal) => {
    const response = await request(path, { signal });
    if (!response.ok) throw new Error(`${path} could not be read (${response.status}).`);
    return response.json();
  };
  dl.createType('ticket', {
    fetch: (id, { signal }) => getJson(`/api/tickets/${id}`, signal),
    bulkFetch: (ids, _level, { signal }) => getJson(`/api/tickets?ids=${ids.join()}`, signal),
  });
  dl.createCollection('tickets', {
    async fetch(params, { signal }) {
      const query = new URLSearchParams(params as Record<string, string> | undefined);
      const answer = (await getJson(`/api/ticket-ids?${query}`, signal)) as { ids: number[]; count: number };
      const missing = answer.ids.filter((id) => dl.getItemRef('ticket', id).data === null);
      await Promise.all(missing.map((id) => dl.prefetchItem('ticket', id))); // In one task: one `bulkFetch`.
      return answer;
    },
  });
}
