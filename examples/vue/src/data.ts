import { defineCollection, defineItem, DL } from '@edict/core';

export interface Ticket {
  id: number;
  title: string;
  status: 'open' | 'solved';
}

async function getJson<T>(url: string, signal: AbortSignal): Promise<T> {
  const response = await fetch(url, { signal });
  if (!response.ok) throw new Error(`${url}: status ${response.status}`);
  return response.json();
}

/** One ticket. `null` means that it does not exist. */
export const ticket = defineItem('ticket', {
  fetch: (id: number, { signal }) => getJson<Ticket | null>(`/api/tickets/${id}`, signal),
});

/** The list returns whole tickets, so its rows need no requests of their own. */
export const tickets = defineCollection('tickets', {
  of: ticket,
  fetch: (_, { signal }) => getJson<Ticket[]>('/api/tickets', signal),
});

DL.register(ticket, tickets);
// Connects to /api/events. A refetch that fails while the API does not respond is repeated.
DL.init({ bulk: { retryFailedMs: 2000 } });
