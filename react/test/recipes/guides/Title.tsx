import { defineItem } from '@edict/core';
import { refreshItem } from '@edict/core/protocol';
import { useItem } from '@edict/react';
import type { Hub } from '@edict/server';

// On the server, after the change:
export function ticketChanged(hub: Hub, id: number) {
  return hub.emit([refreshItem('ticket', id)]);
}

// In the browser:
export const ticket = defineItem('ticket', {
  async fetch(id: number): Promise<{ title: string }> {
    const response = await fetch(`/api/tickets/${id}`);
    if (!response.ok) throw new Error(`Status ${response.status}`);
    return response.json();
  },
});

export function Title({ id }: { id: number }) {
  const { data } = useItem(ticket, id); // Follows every change.
  return <h1>{data?.title}</h1>;
}
