// loaders.ts
import type { DataLayer } from '@edict/core';

/** The loader of the route `/tickets/:id`, of React Router or any other. */
export const ticketLoader =
  (dl: DataLayer) =>
  async ({ params }: { params: { id?: string | undefined } }): Promise<null> => {
    const { id = '' } = params;
    const { meta } = dl.getItemRef('ticket', id);
    // What failed stays failed; who comes to the page asks again.
    const ticket = dl.fetchItem('ticket', id, 'default', { force: meta.error !== null });
    await dl.whenSettled(ticket);
    if (ticket.data === null) throw ticket.meta.cause; // For the router's error element.
    return null; // The component reads with `useItem`, and follows what changes.
  };
