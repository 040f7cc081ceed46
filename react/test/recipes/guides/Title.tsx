import { defineItem } from '@edict/core';
import { refreshItem } from '@edict/core/protocol';
import { useItem } from '@edict/react';
import type { Hub } from '@edict/server';

// On the server, after the change:
export const ticketChanged = (hub: Hub, id: number) => hub.emit([refreshItem('ticket', id)]);

// In the browser:
export const ticket = defineItem('ticket', {
  async fetch(id: number): Promise<{ title: string }> {
    const response = await fetch(`/api/tickets/${id}`);
    if (!response.ok) throw new Error(`The ticket could not be read (${response.status}).`);
    return response.json();
  },
});

export function Title({ id }: { id: number }) {
  const { data } = useItem(ticket, id); // Follows every change.
  return <h1>{data?.title}</h1>;
}
