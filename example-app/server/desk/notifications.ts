// The bell: changes of the tickets that are assigned to a user.

import { and, count, desc, eq, isNull, type SQL } from 'drizzle-orm';
import { bellPage, type Notification } from '../../src/model.ts';
import type { Db } from '../db/database.ts';
import * as table from '../db/schema.ts';
import type { Work } from './ticketChanges.ts';
import { visibleTo, type Viewer } from './viewer.ts';

const { notifications, tickets } = table;

/** The newest first, with the number of unread ones on all pages. */
export async function listNotifications(
  db: Db,
  viewer: Viewer,
  page: number,
): Promise<{ items: Notification[]; info: { unread: number } }> {
  const [rows, [unread]] = await Promise.all([
    select(db, viewer)
      .orderBy(desc(notifications.id))
      .limit(bellPage)
      .offset((page - 1) * bellPage),
    db
      .select({ count: count() })
      .from(notifications)
      .innerJoin(tickets, eq(tickets.id, notifications.ticketId))
      .where(and(ownedBy(viewer), isNull(notifications.readAt))),
  ]);
  return { items: rows.map(notificationOf), info: { unread: unread?.count ?? 0 } };
}

/** Null: it does not exist, or the viewer may no longer see its ticket. */
export async function findNotification(db: Db, viewer: Viewer, id: number): Promise<Notification | null> {
  const [row] = await select(db, viewer, eq(notifications.id, id));
  return row === undefined ? null : notificationOf(row);
}

const ownedBy = (viewer: Viewer) => and(eq(notifications.personId, viewer.id), visibleTo(viewer));

const select = (db: Db, viewer: Viewer, condition?: SQL) =>
  db
    .select({ notification: notifications, subject: tickets.subject })
    .from(notifications)
    .innerJoin(tickets, eq(tickets.id, notifications.ticketId))
    .where(and(ownedBy(viewer), condition));

const notificationOf = ({
  notification,
  subject,
}: {
  notification: typeof notifications.$inferSelect;
  subject: string;
}): Notification => ({
  id: notification.id,
  ticketId: notification.ticketId,
  subject,
  actorId: notification.actorId,
  kind: notification.kind,
  others: notification.others,
  isRead: notification.readAt !== null,
  at: notification.createdAt.toISOString(),
});

/** Marks all notifications of the viewer as read, or the one with the id. */
export async function readNotifications({ db, viewer }: Work, id?: number): Promise<void> {
  await db
    .update(notifications)
    .set({ readAt: new Date() })
    .where(
      and(
        eq(notifications.personId, viewer.id),
        isNull(notifications.readAt),
        id === undefined ? undefined : eq(notifications.id, id),
      ),
    );
}
