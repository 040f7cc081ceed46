// Changes tickets. Each function runs in the transaction of its caller. The watched tables emit the directives.

import { and, eq, inArray, sql } from 'drizzle-orm';
import {
  priorities,
  statuses,
  type NotificationKind,
  type Status,
  type TicketFilters,
} from '../../src/model.ts';
import type { ChangeTicket, CreateTicket } from '../../src/inputs.ts';
import type { Db } from '../db/database.ts';
import * as table from '../db/schema.ts';
import { bellsWith, type Announcement } from './affected.ts';
import { DeskError, noSuchTicket } from './errors.ts';
import { directory } from './directory.ts';
import { filters } from './ticketQueries.ts';
import { maySee, visibleTo, type Viewer } from './viewer.ts';

const { tickets, comments, changes, notifications } = table;
type Row = typeof tickets.$inferSelect;

/** What every change needs. */
export interface Work {
  db: Db;
  viewer: Viewer;
  /** For directives that the watched tables do not send. */
  announce: (announcement: Announcement) => Promise<void>;
}

export async function createTicket({ db, viewer }: Work, input: CreateTicket): Promise<number> {
  await checkPlace(db, viewer, { ...input, isNewPlace: true });
  const now = new Date();
  const [row] = await db
    .insert(tickets)
    .values({
      subject: input.subject,
      body: input.body,
      status: 'open',
      priority: input.priority,
      urgency: priorities.indexOf(input.priority) + 1,
      teamId: input.teamId,
      assigneeId: input.assigneeId,
      visibility: input.visibility,
      requesterName: input.requesterName,
      requesterEmail: input.requesterEmail,
      createdAt: now,
      updatedAt: now,
    })
    .returning();
  if (row === undefined) throw new Error('the database returned no row for a new ticket');
  await db.insert(changes).values({ ticketId: row.id, actorId: viewer.id, kind: 'created', createdAt: now });
  await notify(db, viewer, 'assigned', [row]);
  return row.id;
}

/** Throws a 409 if `expectedVersion` is not the current version. */
export async function changeTicket(
  { db, viewer, announce }: Work,
  id: number,
  { expectedVersion, ...wanted }: ChangeTicket,
): Promise<void> {
  const before = await lockTicket(db, viewer, id);
  if (expectedVersion !== undefined && expectedVersion !== before.version) {
    throw new DeskError(409, 'changed_meanwhile', 'Somebody changed this ticket while you were editing it.');
  }
  const kinds = (
    ['subject', 'body', 'status', 'priority', 'assigneeId', 'teamId', 'visibility'] as const
  ).filter((key) => wanted[key] !== undefined && wanted[key] !== before[key]);
  if (kinds.length === 0) return;
  const after: Row = {
    ...before,
    subject: wanted.subject ?? before.subject,
    body: wanted.body ?? before.body,
    status: wanted.status ?? before.status,
    priority: wanted.priority ?? before.priority,
    assigneeId: wanted.assigneeId === undefined ? before.assigneeId : wanted.assigneeId,
    teamId: wanted.teamId ?? before.teamId,
    visibility: wanted.visibility ?? before.visibility,
    urgency: priorities.indexOf(wanted.priority ?? before.priority) + 1,
    version: before.version + 1,
    updatedAt: new Date(),
  };
  if (kinds.some((key) => key === 'assigneeId' || key === 'teamId' || key === 'visibility')) {
    await checkPlace(db, viewer, { ...after, isNewPlace: after.teamId !== before.teamId });
  }
  await db.update(tickets).set(after).where(eq(tickets.id, id));
  await db.insert(changes).values(
    kinds.map((key) => ({
      ticketId: id,
      actorId: viewer.id,
      kind: key === 'assigneeId' ? ('assignee' as const) : key === 'teamId' ? ('team' as const) : key,
      // The history records only that a long text changed.
      from: key === 'body' ? null : textOf(before[key]),
      to: key === 'body' ? null : textOf(after[key]),
      createdAt: after.updatedAt,
    })),
  );
  if (kinds.some((key) => key === 'subject' || key === 'teamId' || key === 'visibility')) {
    for (const announcement of await bellsWith(db, id)) await announce(announcement);
  }
  if (kinds.includes('assigneeId')) await notify(db, viewer, 'assigned', [after]);
  else if (kinds.includes('status')) await notify(db, viewer, 'status', [after]);
}

/**
 * Resolves to the changed tickets by the status that they had before. Tickets that had the status already, left the list
 * `within`, or are hidden from the viewer stay as they are.
 */
export async function changeStatusOfMany(
  { db, viewer }: Work,
  ids: readonly number[],
  status: Status,
  within?: TicketFilters,
): Promise<Partial<Record<Status, number[]>>> {
  const rows = await db
    .select()
    .from(tickets)
    .where(
      and(
        inArray(tickets.id, [...ids]),
        visibleTo(viewer),
        ...(within === undefined ? [] : filters(viewer, within)),
      ),
    )
    .orderBy(tickets.id) // The same order in every transaction, so that two of them do not deadlock.
    .for('update');
  const changed = rows.filter((row) => row.status !== status);
  if (changed.length === 0) return {};
  const now = new Date();
  await db
    .update(tickets)
    .set({ status, updatedAt: now, version: sql`${tickets.version} + 1` })
    .where(
      inArray(
        tickets.id,
        changed.map(({ id }) => id),
      ),
    );
  await db.insert(changes).values(
    changed.map((before) => ({
      ticketId: before.id,
      actorId: viewer.id,
      kind: 'status' as const,
      from: before.status,
      to: status,
      createdAt: now,
    })),
  );
  await notify(db, viewer, 'status', changed);
  return Object.fromEntries(
    statuses.map((before) => [before, changed.filter((row) => row.status === before).map(({ id }) => id)]),
  );
}

export async function addComment({ db, viewer }: Work, id: number, body: string): Promise<void> {
  const before = await lockTicket(db, viewer, id);
  const now = new Date();
  await db.insert(comments).values({ ticketId: id, authorId: viewer.id, body, createdAt: now });
  await db.update(tickets).set({ updatedAt: now }).where(eq(tickets.id, id));
  await notify(db, viewer, 'commented', [before]);
}

/** Also deletes its comments, its history, and the notifications about it. */
export async function removeTicket({ db, viewer }: Work, id: number): Promise<void> {
  await lockTicket(db, viewer, id);
  await db.delete(tickets).where(eq(tickets.id, id));
}

/** No other transaction changes the row until the end of this one. */
async function lockTicket(db: Db, viewer: Viewer, id: number): Promise<Row> {
  const [row] = await db
    .select()
    .from(tickets)
    .where(and(eq(tickets.id, id), visibleTo(viewer)))
    .for('update');
  if (row === undefined) throw noSuchTicket();
  return row;
}

/** Refuses an assignee who could not open the ticket, and a change that would hide it from the viewer. */
async function checkPlace(
  db: Db,
  viewer: Viewer,
  place: { teamId: number; assigneeId: number | null; visibility: string; isNewPlace: boolean },
): Promise<void> {
  const { people, teams } = await directory(db);
  if (place.isNewPlace && !teams.some((team) => team.id === place.teamId)) {
    throw new DeskError(422, 'unknown_team', 'There is no such team.', { teamId: 'There is no such team.' });
  }
  if (!maySee(viewer, place)) {
    throw new DeskError(422, 'not_your_team', 'Only members of a team can make tickets private to it.', {
      visibility: 'You are not in that team.',
    });
  }
  if (place.assigneeId === null) return;
  const assignee = people.find((person) => person.id === place.assigneeId);
  if (assignee === undefined) {
    throw new DeskError(422, 'unknown_person', 'Nobody with this number works at the desk.', {
      assigneeId: 'Nobody with this number works at the desk.',
    });
  }
  if (!maySee(assignee, place)) {
    const message = `${assignee.name} is not in the team that this ticket is private to.`;
    throw new DeskError(422, 'assignee_cannot_see', message, { assigneeId: message });
  }
}

/** Adds one entry to the bell of each assignee, however many of their tickets changed. Users get none of their own changes. */
async function notify(
  db: Db,
  viewer: Viewer,
  kind: NotificationKind,
  changed: readonly Row[],
): Promise<void> {
  const entries = new Map<number, { ticketId: number; others: number }>();
  for (const { id, assigneeId } of changed) {
    if (assigneeId === null || assigneeId === viewer.id) continue;
    const entry = entries.get(assigneeId);
    if (entry === undefined) entries.set(assigneeId, { ticketId: id, others: 0 });
    else entry.others += 1;
  }
  if (entries.size === 0) return;
  const createdAt = new Date();
  await db
    .insert(notifications)
    .values(
      [...entries].map(([personId, entry]) => ({ personId, ...entry, kind, actorId: viewer.id, createdAt })),
    );
}

function textOf(value: string | number | null): string | null {
  return value === null ? null : String(value);
}
