// data.ts
import { defineItem } from '@edict/core';

export const ticket = defineItem('ticket', {
  async fetch(id: number, { signal }): Promise<{ title: string }> {
    const response = await fetch(`/api/tickets/${id}`, { signal });
    if (!response.ok) throw new Error(`The ticket could not be read (${response.status}).`);
    return response.json();
  },
});
