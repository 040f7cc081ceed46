// deleteTicket.ts
import { refreshCollection, removeItem } from '@edict/core/protocol';
import type { Hub } from '@edict/server';

/** Call it after the commit. Return the result as `directives` in the response. */
export const ticketDeleted = (hub: Hub, id: number, clientId: string | null) =>
  hub.emit([refreshCollection('tickets'), removeItem('ticket', id)], { source: clientId });
