// loaders.ts
import type { DataLayer } from '@edict/core';
import { ticket } from './lists.ts';

/** The loader of the route `/tickets/:id`, for React Router or any other router. */
export const ticketLoader =
  (dl: DataLayer) =>
  async ({ params }: { params: { id?: string | undefined } }): Promise<null> => {
    const id = Number(params.id);
    // A failed entry stays failed. A user who opens the page again requests it again.
    if (dl.getItemRef(ticket, id).meta.error !== null) dl.fetchItem(ticket, id, null, { force: true });
    const data = await dl.ensureItem(ticket, id); // Rejects with the error: the router shows its error element.
    if (data === null) throw new Response(null, { status: 404 });
    return null; // The component reads with `useItem`, and follows later changes.
  };
