// data.ts
import { DL } from '@edict/core';

DL.createType('ticket', {
  async fetch(id, { signal }) {
    const response = await fetch(`/api/tickets/${id}`, { signal });
    if (!response.ok) throw new Error(`The ticket could not be read (${response.status}).`);
    return response.json();
  },
});
DL.init(); // Connects to /api/events.
