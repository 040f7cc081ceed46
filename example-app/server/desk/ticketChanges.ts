// Changing tickets. Each function runs in the transaction that it is given, and announces what it affected.

import { and, eq, inArray, sql } from 'drizzle-orm';
import { priorities, type NotificationKind, type Status, type TicketFilters } from '../../src/model.ts';
import type { ChangeTicket, CreateTicket } from '../../src/inputs.ts';
import type { Db } from '../db/database.ts';
import * as table from '../db/schema.ts';
import * as affected from './affected.ts';
import { DeskError, noSuchTicket } from './errors.ts';
import { directory } from './directory.ts';
import { filters } from './ticketQueries.ts';
import { maySee, visibleTo, type Viewer } from './viewer.ts';

const { tickets, comments, changes, notifications } = table;
type Row = typeof tickets.$inferSelect;

/** What every change is given. */
export interface Work {
  db: Db;
  viewer: Viewer;
  announce: (announcement: affected.Announcement) => void;
}

export async function createTicket({ db, viewer, announce }: Work, input: CreateTicket): Promise<number> {
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
  announce(affected.created(row));
  await notify({ db, viewer, announce }, 'assigned', row);
  return row.id;
}

/** A 409 when `expectedVersion` is given and somebody else was faster. */
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
  const after = {
    ...before,
    ...Object.fromEntries(kinds.map((key) => [key, wanted[key]])),
    urgency: priorities.indexOf(wanted.priority ?? before.priority) + 1,
    version: before.version + 1,
    updatedAt: new Date(),
  } as Row; // True: the keys are columns, and their values were checked by the schema of the input.
  if (kinds.some((key) => key === 'assigneeId' || key === 'teamId' || key === 'visibility')) {
    await checkPlace(db, viewer, { ...after, isNewPlace: after.teamId !== before.teamId });
  }
  await db.update(tickets).set(after).where(eq(tickets.id, id));
  await db.insert(changes).values(
    kinds.map((key) => ({
      ticketId: id,
      actorId: viewer.id,
      kind: key === 'assigneeId' ? ('assignee' as const) : key === 'teamId' ? ('team' as const) : key,
      // Long texts are not kept twice; that they changed is enough for the history.
      from: key === 'body' ? null : textOf(before[key]),
      to: key === 'body' ? null : textOf(after[key]),
      createdAt: after.updatedAt,
    })),
  );
  const isCounted = kinds.some((key) => key !== 'subject' && key !== 'body');
  announce(affected.changed(before, after, isCounted));
  // Entries of the bell show the subject, and only those about what one may see are there.
  if (kinds.some((key) => key === 'subject' || key === 'teamId' || key === 'visibility')) {
    for (const [personId, entries] of await readersOf(db, id)) announce(affected.notified(personId, entries));
  }
  if (kinds.includes('assigneeId')) await notify({ db, viewer, announce }, 'assigned', after);
  else if (kinds.includes('status')) await notify({ db, viewer, announce }, 'status', after);
}

/** Answers how many were changed; those that had the status already, are not `within` the list any more, or may not be seen, are left out. */
export async function changeStatusOfMany(
  { db, viewer, announce }: Work,
  ids: readonly number[],
  status: Status,
  within?: TicketFilters,
): Promise<number> {
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
    .orderBy(tickets.id) // One order for all: two such changes at once must not lock each other out.
    .for('update');
  const pairs = rows
    .filter((before) => before.status !== status)
    .map((before) => ({ before, after: { ...before, status } }));
  if (pairs.length === 0) return 0;
  const now = new Date();
  await db
    .update(tickets)
    .set({ status, updatedAt: now, version: sql`${tickets.version} + 1` })
    .where(
      inArray(
        tickets.id,
        pairs.map(({ before }) => before.id),
      ),
    );
  await db.insert(changes).values(
    pairs.map(({ before }) => ({
      ticketId: before.id,
      actorId: viewer.id,
      kind: 'status' as const,
      from: before.status,
      to: status,
      createdAt: now,
    })),
  );
  for (const announcement of affected.manyChanged(pairs)) announce(announcement);
  await notify({ db, viewer, announce }, 'status', ...pairs.map(({ after }) => after));
  return pairs.length;
}

export async function addComment({ db, viewer, announce }: Work, id: number, body: string): Promise<void> {
  const before = await lockTicket(db, viewer, id);
  const now = new Date();
  await db.insert(comments).values({ ticketId: id, authorId: viewer.id, body, createdAt: now });
  await db.update(tickets).set({ updatedAt: now }).where(eq(tickets.id, id));
  announce(affected.changed(before, before, false));
  await notify({ db, viewer, announce }, 'commented', before);
}

export async function removeTicket({ db, viewer, announce }: Work, id: number): Promise<void> {
  const before = await lockTicket(db, viewer, id);
  const readers = await readersOf(db, id);
  await db.delete(tickets).where(eq(tickets.id, id));
  announce(affected.removed(before));
  // Their bells lose the entries about it.
  for (const personId of readers.keys()) announce(affected.notified(personId));
}

/** Those whose bells have entries about the ticket, and which. */
async function readersOf(db: Db, ticketId: number): Promise<Map<number, number[]>> {
  const rows = await db
    .select({ id: notifications.id, personId: notifications.personId })
    .from(notifications)
    .where(eq(notifications.ticketId, ticketId));
  const readers = new Map<number, number[]>();
  for (const { id, personId } of rows) readers.set(personId, [...(readers.get(personId) ?? []), id]);
  return readers;
}

/** Nobody changes the row between this and the end of the transaction. */
async function lockTicket(db: Db, viewer: Viewer, id: number): Promise<Row> {
  const [row] = await db
    .select()
    .from(tickets)
    .where(and(eq(tickets.id, id), visibleTo(viewer)))
    .for('update');
  if (row === undefined) throw noSuchTicket();
  return row;
}

/** Nobody gets a ticket that they could not open, and nobody puts one where they could not see it. */
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

/** One entry in the bell of each assignee, however many of their tickets were changed. */
async function notify(
  { db, viewer, announce }: Work,
  kind: NotificationKind,
  ...changed: Row[]
): Promise<void> {
  const news = affected.newsOf(changed, viewer.id);
  if (news.length === 0) return;
  const createdAt = new Date();
  await db.insert(notifications).values(news.map((one) => ({ ...one, kind, actorId: viewer.id, createdAt })));
  for (const { personId } of news) announce(affected.notified(personId));
}

function textOf(value: string | number | null): string | null {
  return value === null ? null : String(value);
}
