// The registry's reads without HTTP: for the server's own rendering, as the person who asked for the page.

import type { DeskReads } from '../src/api.ts';
import { everything } from '../src/filters.ts';
import type { Db } from './db/database.ts';
import { directory } from './desk/directory.ts';
import { listNotifications, notificationItems } from './desk/notifications.ts';
import { countTickets, fullTicket, listTickets, summaries, ticketExists } from './desk/ticketQueries.ts';
import type { Viewer } from './desk/viewer.ts';

export function directReads(db: Db, viewer: Viewer): DeskReads {
  return {
    tickets: (params) => listTickets(db, viewer, { ...everything, ...params }),
    summaries: (ids) => summaries(db, viewer, ids),
    ticket: (id) => fullTicket(db, viewer, id),
    ticketExists: async (id) => ({ ids: (await ticketExists(db, viewer, id)) ? [id] : [] }),
    counts: () => countTickets(db, viewer),
    directory: () => directory(db),
    notifications: (page) => listNotifications(db, viewer, page),
    notificationItems: (ids) => notificationItems(db, viewer, ids),
  };
}
