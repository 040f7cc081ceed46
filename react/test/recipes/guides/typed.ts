// typed.ts
import { defineCollection, defineItem } from '@edict/core';

interface TicketRow {
  id: number;
  title: string;
}
interface TicketDetail extends TicketRow {
  text: string;
}

async function read<T>(path: string, signal: AbortSignal): Promise<T> {
  const response = await fetch(path, { signal });
  if (!response.ok) throw new Error(`${path} could not be read (${response.status}).`);
  return response.json();
}

export const ticket = defineItem('ticket', {
  fetch: (id: number, { signal }) => read<TicketRow>(`/api/tickets/${id}`, signal),
  levels: {
    full: { fetch: (id, { signal }) => read<TicketDetail>(`/api/tickets/${id}/full`, signal) },
  },
});

export const tickets = defineCollection('tickets', {
  of: ticket,
  fetch: (params: { status?: 'new' | 'done' } | undefined, { signal }) =>
    read<{ items: TicketRow[]; info: { total: number } }>(
      `/api/tickets?${new URLSearchParams(params)}`,
      signal,
    ),
});
