// listsOfIds.ts
import { defineCollection, defineItem } from '@edict/core';

interface Ticket {
  id: number;
  title: string;
}

async function read<T>(path: string, signal: AbortSignal): Promise<T> {
  const response = await fetch(path, { signal });
  if (!response.ok) throw new Error(`${path} could not be read (${response.status}).`);
  return response.json();
}

const readMany = (ids: number[], signal: AbortSignal) =>
  read<Ticket[]>(`/api/tickets?ids=${ids.join()}`, signal);

export const ticket = defineItem('ticket', {
  fetch: (id: number, { signal }) => read<Ticket>(`/api/tickets/${id}`, signal),
  bulkFetch: (ids, _level, { signal }) => readMany(ids, signal),
});

export const tickets = defineCollection('tickets', {
  of: ticket,
  async fetch(params: { page: number }, { signal }) {
    const { ids, count } = await read<{ ids: number[]; count: number }>(
      `/api/ticket-ids?page=${params.page}`,
      signal,
    );
    return { items: await readMany(ids, signal), count };
  },
});
