// The registry's reads without HTTP: for the server's own rendering, as the person who asked for the page.

import type { DeskReads } from '../src/api.ts';
import { everything } from '../src/filters.ts';
import type { Db } from './db/database.ts';
import { directory } from './desk/directory.ts';
import { DeskError } from './desk/errors.ts';
import { listNotifications, notificationItems } from './desk/notifications.ts';
import { countTickets, fullTicket, listTickets, summaries, ticketExists } from './desk/ticketQueries.ts';
import type { Viewer } from './desk/viewer.ts';

export function directReads(db: Db, viewer: Viewer): DeskReads {
  return {
    tickets: async (params) => await listTickets(db, viewer, { ...everything, ...params }),
    summaries: async (ids) => await summaries(db, viewer, ids),
    ticket: async (id) => {
      try {
        return await fullTicket(db, viewer, id);
      } catch (error) {
        if (error instanceof DeskError && error.status === 404) return null;
        throw error;
      }
    },
    ticketExists: async (id) => ({ ids: (await ticketExists(db, viewer, id)) ? [id] : [] }),
    counts: async () => await countTickets(db, viewer),
    directory: async () => await directory(db),
    notifications: async () => await listNotifications(db, viewer),
    notificationItems: async (ids) => await notificationItems(db, viewer, ids),
  };
}
