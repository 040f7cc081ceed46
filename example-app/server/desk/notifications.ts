// The bell: what happened to the tickets that somebody is responsible for.

import { and, count, desc, eq, inArray, isNull } from 'drizzle-orm';
import { bellPage, type Notification } from '../../src/model.ts';
import type { Db } from '../db/database.ts';
import * as table from '../db/schema.ts';
import * as affected from './affected.ts';
import type { Work } from './ticketChanges.ts';
import { visibleTo, type Viewer } from './viewer.ts';

const { notifications, tickets } = table;

/** The newest first; `count` is the number of unread ones among all. */
export async function listNotifications(
  db: Db,
  viewer: Viewer,
  page: number,
): Promise<{ ids: number[]; count: number }> {
  const own = and(eq(notifications.personId, viewer.id), visibleTo(viewer));
  const [rows, [unread]] = await Promise.all([
    db
      .select({ id: notifications.id })
      .from(notifications)
      .innerJoin(tickets, eq(tickets.id, notifications.ticketId))
      .where(own)
      .orderBy(desc(notifications.id))
      .limit(bellPage)
      .offset((page - 1) * bellPage),
    db
      .select({ count: count() })
      .from(notifications)
      .innerJoin(tickets, eq(tickets.id, notifications.ticketId))
      .where(and(own, isNull(notifications.readAt))),
  ]);
  return { ids: rows.map((row) => row.id), count: unread?.count ?? 0 };
}

export async function notificationItems(
  db: Db,
  viewer: Viewer,
  ids: readonly number[],
): Promise<Notification[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .select({ notification: notifications, subject: tickets.subject })
    .from(notifications)
    .innerJoin(tickets, eq(tickets.id, notifications.ticketId))
    .where(
      and(inArray(notifications.id, [...ids]), eq(notifications.personId, viewer.id), visibleTo(viewer)),
    );
  return rows.map(({ notification, subject }) => ({
    id: notification.id,
    ticketId: notification.ticketId,
    subject,
    actorId: notification.actorId,
    kind: notification.kind,
    others: notification.others,
    isRead: notification.readAt !== null,
    at: notification.createdAt.toISOString(),
  }));
}

/** Marks all of the viewer's as read, or the one. */
export async function readNotifications({ db, viewer, announce }: Work, id?: number): Promise<void> {
  const rows = await db
    .update(notifications)
    .set({ readAt: new Date() })
    .where(
      and(
        eq(notifications.personId, viewer.id),
        isNull(notifications.readAt),
        id === undefined ? undefined : eq(notifications.id, id),
      ),
    )
    .returning({ id: notifications.id });
  if (rows.length === 0) return;
  // Read in one tab is read in all tabs of that person.
  announce(
    affected.notified(
      viewer.id,
      rows.map((row) => row.id),
    ),
  );
}
