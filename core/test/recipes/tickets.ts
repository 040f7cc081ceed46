// tickets.ts
import { defineCollection, defineItem } from '@edict/core';

export interface Ticket {
  id: number;
  status: 'open' | 'closed';
}

/** `request` is `fetch` in the browser, and that of the simulation in tests. */
export function defineTickets(request: typeof fetch) {
  async function read<T>(path: string, signal: AbortSignal): Promise<T> {
    const response = await request(path, { signal });
    if (!response.ok) throw new Error(`${path} could not be read (${response.status}).`);
    return response.json();
  }
  const ticket = defineItem('ticket', {
    fetch: (id: number, { signal }) => read<Ticket>(`/api/tickets/${id}`, signal),
  });
  const tickets = defineCollection('tickets', {
    of: ticket,
    fetch: (params: { status?: string } | undefined, { signal }) =>
      read<Ticket[]>(`/api/tickets?${new URLSearchParams(params)}`, signal),
  });
  return { ticket, tickets };
}
