// lists.ts
import { defineCollection, defineItem } from '@edict/core';

export interface Ticket {
  id: number;
  title: string;
}

export async function read<T>(path: string, signal: AbortSignal): Promise<T> {
  const response = await fetch(path, { signal });
  if (!response.ok) throw new Error(`${path} could not be read (${response.status}).`);
  return response.json();
}

export const ticket = defineItem('ticket', {
  fetch: (id: number, { signal }) => read<Ticket>(`/api/tickets/${id}`, signal),
});

export const tickets = defineCollection('tickets', {
  of: ticket,
  fetch: (params: { page: number }, { signal }) => read<Ticket[]>(`/api/tickets?page=${params.page}`, signal),
});
