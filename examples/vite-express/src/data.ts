import { defineCollection, defineItem, DL, HttpError } from '@edict/core';

export interface Ticket {
  id: number;
  title: string;
  status: 'open' | 'solved';
}

async function getJson<T>(url: string, signal: AbortSignal): Promise<T> {
  const response = await fetch(url, { signal });
  if (!response.ok) throw new HttpError(response, await response.json().catch(() => undefined));
  return response.json();
}

/** The message of an error for users. Without a response, the error has only the browser's own text. */
export const messageOf = (error: Error): string =>
  error instanceof HttpError ? error.message : 'The server cannot be reached.';

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
