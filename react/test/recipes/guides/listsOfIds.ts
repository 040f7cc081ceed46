// listsOfIds.ts
import { defineCollection, defineItem } from '@edict/core';
import { read, type Ticket } from './lists.ts';

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
