// listsOfItems.ts
import type { DataLayer } from '@edict/core';

interface Ticket {
  id: number;
  title: string;
}

/** The endpoint of a list answers with the items themselves, and there is none for several ids. */
export function registerTickets(dl: DataLayer, request: typeof fetch): void {
  const getJson = async (path: string, signal: AbortSignal) => {
    const response = await request(path, { signal });
    if (!response.ok) throw new Error(`${path} could not be read (${response.status}).`);
    return response.json();
  };
  const brought = new Map<string, Ticket>();
  let said = 0; // How often something was said, or missed, that a list under way may be older than.
  function hear(): void {
    said += 1;
    brought.clear();
  }
  dl.onLifecycle('directive:received', hear);
  dl.onLifecycle('sse:resync-dispatch', hear);
  dl.createType('ticket', {
    fetch: (id, { signal, force }) =>
      (force ? undefined : brought.get(String(id))) ?? getJson(`/api/tickets/${id}`, signal),
  });
  dl.createCollection('tickets', {
    async fetch(params, { signal }) {
      const before = said;
      const query = new URLSearchParams(params as Record<string, string> | undefined);
      const tickets = (await getJson(`/api/tickets?${query}`, signal)) as Ticket[];
      const missing = tickets.filter(({ id }) => dl.getItemRef('ticket', id).data === null);
      if (said === before) for (const ticket of missing) brought.set(String(ticket.id), ticket);
      await Promise.all(missing.map(({ id }) => dl.prefetchItem('ticket', id))); // They take what was brought.
      for (const { id } of missing) brought.delete(String(id));
      return { ids: tickets.map(({ id }) => id) };
    },
  });
}
