// Directives that the watched tables cannot know (server/db/watches.ts).

import { refreshCollection, refreshItem } from '@edict/core/protocol';
import type { Directive } from '@edict/core/protocol';
import { eq } from 'drizzle-orm';
import { personAudience } from '../../src/audiences.ts';
import type { Db } from '../db/database.ts';
import { notifications } from '../db/schema.ts';

/** Directives, and the audience that receives them. */
export interface Announcement {
  audience: string;
  directives: Directive[];
}

/**
 * An entry of the bell contains the subject of its ticket, and is hidden if the user may not see the ticket. Such a
 * change is in another table than the entry.
 */
export async function bellsWith(db: Db, ticketId: number): Promise<Announcement[]> {
  const rows = await db
    .select({ id: notifications.id, personId: notifications.personId })
    .from(notifications)
    .where(eq(notifications.ticketId, ticketId));
  return rows.map(({ id, personId }) => ({
    audience: personAudience(personId),
    directives: [refreshItem('notification', id), refreshCollection('notifications')],
  }));
}
