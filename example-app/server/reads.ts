// The reads without HTTP, for rendering a page on the server as the user who requested it.

import type { DeskReads } from '../src/api.ts';
import type { Db } from './db/database.ts';
import { directory } from './desk/directory.ts';
import { findNotification, listNotifications } from './desk/notifications.ts';
import { countTickets, fullTicket, latestActivity, listTickets, summaries } from './desk/ticketQueries.ts';
import type { Viewer } from './desk/viewer.ts';

export function directReads(db: Db, viewer: Viewer): DeskReads {
  return {
    tickets: (params) => listTickets(db, viewer, params),
    summaries: (ids) => summaries(db, viewer, ids),
    ticket: (id) => fullTicket(db, viewer, id),
    activity: () => latestActivity(db, viewer),
    counts: () => countTickets(db, viewer),
    directory: () => directory(db),
    notifications: (page) => listNotifications(db, viewer, page),
    notification: (id) => findNotification(db, viewer, id),
  };
}
