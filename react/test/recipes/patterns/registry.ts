// registry.ts
import type { DataLayer } from '@edict/core';

export function register(dl: DataLayer): void {
  dl.createType('ticket', {
    async fetch(id, { signal }) {
      const response = await fetch(`/api/tickets/${id}`, { signal });
      if (!response.ok) throw new Error(`Ticket ${id} could not be read (${response.status}).`);
      return response.json();
    },
  });
}

/** Whoever shows messages listens. */
export function toast(message: string): void {
  window.dispatchEvent(new CustomEvent('toast', { detail: message }));
}
