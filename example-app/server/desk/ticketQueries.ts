// Reads tickets.

import { and, asc, count, desc, eq, ilike, inArray, isNull, or, sql, type SQL } from 'drizzle-orm';
import type {
  Activity,
  ByStatus,
  Change,
  Counts,
  Ticket,
  TicketFilters,
  TicketParams,
  TicketSummary,
} from '../../src/model.ts';
import { idOf } from '../../src/filters.ts';
import type { Db } from '../db/database.ts';
import * as table from '../db/schema.ts';
import { visibleTo, type Viewer } from './viewer.ts';

const { tickets, comments, changes } = table;

/** One page of the tickets that match the params, and the number of all that match. */
export async function listTickets(
  db: Db,
  viewer: Viewer,
  params: TicketParams,
): Promise<{ items: TicketSummary[]; count: number }> {
  const where = and(visibleTo(viewer), ...filters(viewer, params));
  const [rows, [total]] = await Promise.all([
    db
      .select(summaryColumns(db))
      .from(tickets)
      .where(where)
      .orderBy(...order(params))
      .limit(params.size)
      .offset((params.page - 1) * params.size),
    db.select({ count: count() }).from(tickets).where(where),
  ]);
  return { items: rows.map((row) => summaryOf(row.ticket, row.commentCount)), count: total?.count ?? 0 };
}

/** One condition per filter. */
export function filters(viewer: Viewer, wanted: TicketFilters): (SQL | undefined)[] {
  const { status, assignee, team, priority } = wanted;
  const q = wanted.q.trim();
  const id = idOf(q.replace(/^#/, ''));
  const pattern = `%${q.replace(/[\\%_]/g, '\\$&')}%`;
  return [
    status === 'all' ? undefined : eq(tickets.status, status),
    team === 'all' ? undefined : eq(tickets.teamId, team),
    priority === 'all' ? undefined : eq(tickets.priority, priority),
    assignee === 'all'
      ? undefined
      : assignee === 'none'
        ? isNull(tickets.assigneeId)
        : eq(tickets.assigneeId, assignee === 'me' ? viewer.id : assignee),
    q === ''
      ? undefined
      : or(
          ilike(tickets.subject, pattern),
          ilike(tickets.requesterName, pattern),
          ilike(tickets.requesterEmail, pattern),
          id === null ? undefined : eq(tickets.id, id),
        ),
  ];
}

function order({ sort }: TicketParams): SQL[] {
  switch (sort) {
    case 'updated':
      return [desc(tickets.updatedAt), desc(tickets.id)];
    case 'newest':
      return [desc(tickets.createdAt), desc(tickets.id)];
    case 'oldest':
      return [asc(tickets.createdAt), asc(tickets.id)];
    case 'priority':
      return [asc(tickets.urgency), desc(tickets.updatedAt), desc(tickets.id)];
  }
}

/** The tickets by id. Null: the ticket does not exist, or the viewer may not see it. */
export async function summaries(
  db: Db,
  viewer: Viewer,
  ids: readonly number[],
): Promise<Record<number, TicketSummary | null>> {
  if (ids.length === 0) return {};
  const rows = await db
    .select(summaryColumns(db))
    .from(tickets)
    .where(and(inArray(tickets.id, [...ids]), visibleTo(viewer)));
  const found = new Map(rows.map((row) => [row.ticket.id, summaryOf(row.ticket, row.commentCount)]));
  return Object.fromEntries(ids.map((id) => [id, found.get(id) ?? null]));
}

const summaryColumns = (db: Db) => ({
  ticket: tickets,
  commentCount: db.$count(comments, eq(comments.ticketId, tickets.id)),
});

function summaryOf(row: typeof tickets.$inferSelect, commentCount: number): TicketSummary {
  return {
    id: row.id,
    subject: row.subject,
    status: row.status,
    priority: row.priority,
    teamId: row.teamId,
    assigneeId: row.assigneeId,
    visibility: row.visibility,
    requester: row.requesterName,
    commentCount,
    version: row.version,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

/** Null: the ticket does not exist, or the viewer may not see it. */
export async function fullTicket(db: Db, viewer: Viewer, id: number): Promise<Ticket | null> {
  const [[row], commentRows, changeRows] = await Promise.all([
    db
      .select()
      .from(tickets)
      .where(and(eq(tickets.id, id), visibleTo(viewer))),
    db.select().from(comments).where(eq(comments.ticketId, id)).orderBy(asc(comments.id)),
    db.select().from(changes).where(eq(changes.ticketId, id)).orderBy(asc(changes.id)),
  ]);
  if (row === undefined) return null;
  return {
    ...summaryOf(row, commentRows.length),
    body: row.body,
    requesterEmail: row.requesterEmail,
    comments: commentRows.map((one) => ({
      id: one.id,
      authorId: one.authorId,
      body: one.body,
      at: one.createdAt.toISOString(),
    })),
    changes: changeRows.map(changeOf),
  };
}

const shownActivities = 8;

/** The latest changes of the tickets that the viewer may see, the newest first. */
export async function latestActivity(db: Db, viewer: Viewer): Promise<Activity[]> {
  const rows = await db
    .select({ change: changes, subject: tickets.subject })
    .from(changes)
    .innerJoin(tickets, eq(tickets.id, changes.ticketId))
    .where(visibleTo(viewer))
    .orderBy(desc(changes.id))
    .limit(shownActivities);
  return rows.map(({ change, subject }) => ({ ...changeOf(change), ticketId: change.ticketId, subject }));
}

const changeOf = (row: typeof changes.$inferSelect): Change => ({
  id: row.id,
  actorId: row.actorId,
  kind: row.kind,
  from: row.from,
  to: row.to,
  at: row.createdAt.toISOString(),
});

const none = (): ByStatus => ({ open: 0, pending: 0, solved: 0, closed: 0 });

/** All numbers of the desk from one query, so that they agree with each other. */
export async function countTickets(db: Db, viewer: Viewer): Promise<Counts> {
  const isMine = sql<boolean>`coalesce(${tickets.assigneeId} = ${viewer.id}, false)`;
  const isFree = sql<boolean>`${tickets.assigneeId} is null`;
  const isUrgent = sql<boolean>`${tickets.priority} = 'urgent'`;
  const [rows, teamRows] = await Promise.all([
    db
      .select({
        status: tickets.status,
        teamId: tickets.teamId,
        isMine: isMine.as('is_mine'),
        isFree: isFree.as('is_free'),
        isUrgent: isUrgent.as('is_urgent'),
        count: count(),
      })
      .from(tickets)
      .where(visibleTo(viewer))
      .groupBy(tickets.status, tickets.teamId, sql`is_mine`, sql`is_free`, sql`is_urgent`),
    db.select({ id: table.teams.id }).from(table.teams).orderBy(asc(table.teams.id)),
  ]);
  const counts: Counts = {
    all: none(),
    mine: none(),
    unassigned: none(),
    urgent: none(),
    teams: teamRows.map((team) => ({ teamId: team.id, counts: none() })),
  };
  for (const row of rows) {
    counts.all[row.status] += row.count;
    if (row.isMine) counts.mine[row.status] += row.count;
    if (row.isFree) counts.unassigned[row.status] += row.count;
    if (row.isUrgent) counts.urgent[row.status] += row.count;
    const team = counts.teams.find((one) => one.teamId === row.teamId);
    if (team !== undefined) team.counts[row.status] += row.count;
  }
  return counts;
}
