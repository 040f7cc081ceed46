// summaries.ts
import { defineCollection, defineItem } from '@edict/core';
import { read, type Ticket } from './lists.ts';

interface TicketDetail extends Ticket {
  text: string;
}

export const ticket = defineItem('ticket', {
  fetch: (id: number, { signal }) => read<Ticket>(`/api/tickets/${id}`, signal),
  levels: {
    full: { fetch: (id, { signal }) => read<TicketDetail>(`/api/tickets/${id}`, signal) },
  },
  levelConversionMap: { full: ['default'] }, // A full ticket contains everything that a row shows.
});

export const tickets = defineCollection('tickets', {
  of: ticket,
  fetch: (_: undefined, { signal }) => read<Ticket[]>('/api/tickets', signal),
});
