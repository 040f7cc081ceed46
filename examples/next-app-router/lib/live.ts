import { createLive } from '@edict/next/server';
import { ticket, tickets } from './data';
import { all, find } from './database';

/** On the server, pages read the database instead of the endpoints. */
export const live = createLive({
  definitions: [ticket, tickets],
  sources: { ticket: (id) => find(id), tickets: () => all() },
});
