import { defineCollection, defineItem } from '@edict/core';
import type { Ticket } from './database';

async function getJson<T>(url: string, signal: AbortSignal): Promise<T> {
  const response = await fetch(url, { signal });
  if (!response.ok) throw new Error(`${url}: status ${response.status}`);
  return response.json();
}

/** What the browser fetches, and from where. */
export const ticket = defineItem('ticket', {
  fetch: (id: number, { signal }) => getJson<Ticket | null>(`/api/tickets/${id}`, signal),
  // Several stale rows are one request.
  bulkFetch: (ids, _level, { signal }) => getJson<Ticket[]>(`/api/tickets?ids=${ids.join()}`, signal),
});
export const tickets = defineCollection('tickets', {
  of: ticket,
  fetch: (_, { signal }) => getJson<Ticket[]>('/api/tickets', signal),
});
