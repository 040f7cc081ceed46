// Fills an empty desk. Texts and choices are the same each time. Times count back from now.

import { getTableColumns, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Priority, Status } from '../../src/model.ts';
import { priorities } from '../../src/model.ts';
import type { Db } from './database.ts';
import * as table from './schema.ts';
import {
  agentReplies,
  companies,
  customerReplies,
  firstNames,
  lastNames,
  personSeeds,
  slots,
  teamSeeds,
  templates,
} from './seedTexts.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

/** Numbers in [0, 1) that are the same on every machine (mulberry32). */
function dice(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function pick<T>(list: readonly T[], roll: number): T {
  const chosen = list[Math.floor(roll * list.length)];
  if (chosen === undefined) throw new Error('the seed has an empty list');
  return chosen;
}

function fill(text: string, chosen: Map<string, string>, roll: () => number): string {
  return text.replace(/\{(\w+)\}/g, (_, slot: string) => {
    const value = chosen.get(slot) ?? pick(slots[slot] ?? [slot], roll());
    chosen.set(slot, value);
    return value;
  });
}

function statusOf(ageDays: number, roll: number): Status {
  if (ageDays > 60) return roll < 0.03 ? 'open' : roll < 0.05 ? 'pending' : roll < 0.35 ? 'solved' : 'closed';
  if (ageDays > 14) return roll < 0.12 ? 'open' : roll < 0.25 ? 'pending' : roll < 0.8 ? 'solved' : 'closed';
  return roll < 0.52 ? 'open' : roll < 0.78 ? 'pending' : roll < 0.97 ? 'solved' : 'closed';
}

function priorityOf(roll: number): Priority {
  return roll < 0.05 ? 'urgent' : roll < 0.22 ? 'high' : roll < 0.84 ? 'normal' : 'low';
}

/** Inserts rows with one parameter, which is several times faster than a parameter for each value. */
async function insertAll<T extends PgTable>(
  db: Db,
  into: T,
  rows: readonly T['$inferInsert'][],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = getTableColumns(into);
  const names = Object.keys(columns).filter((name) => name in (rows[0] ?? {}));
  const list = sql.join(
    names.map((name) => sql.identifier(columns[name]?.name ?? name)),
    sql`, `,
  );
  const json = JSON.stringify(
    rows.map((row) => {
      const values = new Map<string, unknown>(Object.entries(row));
      return Object.fromEntries(names.map((name) => [columns[name]?.name, values.get(name)]));
    }),
  );
  await db.execute(
    sql`insert into ${into} (${list}) select ${list} from json_populate_recordset(null::${into}, ${json}::json)`,
  );
}

/** Does nothing if there are teams. Call it in a transaction, because an incomplete desk would never be completed. */
export async function seed(db: Db, ticketCount = 5000): Promise<void> {
  if ((await db.select({ id: table.teams.id }).from(table.teams).limit(1)).length > 0) return;

  const teams = await db
    .insert(table.teams)
    .values(teamSeeds.map((team) => ({ ...team })))
    .returning();
  const people = await db
    .insert(table.people)
    .values(
      personSeeds.map(({ name, title, hue }) => ({
        name,
        title,
        hue,
        email: `${name.split(' ')[0]?.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '')}@desk.example`,
      })),
    )
    .returning();
  const teamAt = (place: number) => pick(teams.slice(place, place + 1), 0);
  await db
    .insert(table.memberships)
    .values(
      personSeeds.flatMap((person, place) =>
        person.teams.map((team) => ({ personId: people[place]?.id ?? 0, teamId: teamAt(team).id })),
      ),
    );

  const { tickets, comments, changes } = makeTickets(
    ticketCount,
    teams.map((team) => team.id),
    people.map((person) => person.id),
    Date.now(),
  );
  await insertAll(db, table.tickets, tickets);
  await insertAll(db, table.comments, comments);
  // The latest activity is the one with the highest id.
  await insertAll(
    db,
    table.changes,
    changes.toSorted((one, other) => Number(one.createdAt) - Number(other.createdAt)),
  );
}

type TicketRow = typeof table.tickets.$inferInsert;
type CommentRow = typeof table.comments.$inferInsert;
type ChangeRow = typeof table.changes.$inferInsert;

function makeTickets(
  count: number,
  teamIds: readonly number[],
  personIds: readonly number[],
  now: number,
): { tickets: TicketRow[]; comments: CommentRow[]; changes: ChangeRow[] } {
  const roll = dice(20_417);
  const tickets: TicketRow[] = [];
  const comments: CommentRow[] = [];
  const changes: ChangeRow[] = [];

  for (let place = 0; place < count; place += 1) {
    // Ids follow the order of the list, so the oldest ticket is first. Most tickets are recent.
    const ticketId = place + 1;
    const share = (count - place) / count;
    const createdAt = now - 4 * minute - share ** 2.2 * 150 * day - roll() * 20 * minute;
    const ageDays = (now - createdAt) / day;

    const teamPlace = Math.min(4, Math.floor(roll() ** 1.3 * 5));
    const teamId = pick(teamIds.slice(teamPlace, teamPlace + 1), 0);
    // The lead is in every team, but has few tickets.
    const members = personIds.filter(
      (_, person) =>
        personSeeds[person]?.teams.some((place) => place === teamPlace) && (person > 0 || roll() < 0.25),
    );
    const template = pick(templates[teamPlace] ?? [], roll());
    const chosen = new Map<string, string>();
    const subject = fill(template.subject, chosen, roll);
    const body = fill(template.body, chosen, roll);

    const first = pick(firstNames, roll());
    const last = pick(lastNames, roll());
    const status = statusOf(ageDays, roll());
    const priority = priorityOf(roll());
    const isTaken = status === 'closed' || status === 'solved' || roll() < 0.72;
    const assigneeId = isTaken ? pick(members, roll()) : null;
    const isPrivate = teamPlace === 3 ? roll() < 0.55 : roll() < 0.04;

    let at = createdAt;
    const later = (): Date => {
      // Never in the future, and rarely within the last minutes.
      at += Math.min((3 + roll() ** 3 * 900) * minute, (now - at) * (0.05 + roll() * 0.2));
      return new Date(at);
    };
    changes.push({ ticketId, actorId: null, kind: 'created', from: null, to: null, createdAt: new Date(at) });
    if (assigneeId !== null) {
      changes.push({
        ticketId,
        actorId: assigneeId,
        kind: 'assignee',
        from: null,
        to: String(assigneeId),
        createdAt: later(),
      });
    }
    const replies =
      status === 'open' && assigneeId === null ? 0 : Math.floor(roll() ** 1.6 * 6) + (isTaken ? 1 : 0);
    for (let reply = 0; reply < replies; reply += 1) {
      const isAgent = reply % 2 === 0;
      comments.push({
        ticketId,
        authorId: isAgent ? (assigneeId ?? pick(members, roll())) : null,
        body: pick(isAgent ? agentReplies : customerReplies, roll()),
        createdAt: later(),
      });
    }
    if (status !== 'open') {
      changes.push({
        ticketId,
        actorId: assigneeId ?? pick(members, roll()),
        kind: 'status',
        from: 'open',
        to: status,
        createdAt: later(),
      });
    }
    tickets.push({
      subject,
      body,
      status,
      priority,
      urgency: priorities.indexOf(priority) + 1,
      teamId,
      assigneeId,
      visibility: isPrivate ? 'team' : 'everyone',
      requesterName: `${first} ${last}`,
      requesterEmail: `${first}.${last}@${pick(companies, roll())}`.toLowerCase(),
      version: 1,
      createdAt: new Date(createdAt),
      updatedAt: new Date(at),
    });
  }
  return { tickets, comments, changes };
}
