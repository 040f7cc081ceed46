// The tables of both databases: PGlite in this process, or a PostgreSQL server.

import { sql } from 'drizzle-orm';
import {
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  serial,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { ChangeKind, NotificationKind, Priority, Status, Visibility } from '../../src/model.ts';

const at = (name: string) => timestamp(name, { withTimezone: true, mode: 'date', precision: 3 });

export const teams = pgTable('teams', {
  id: serial('id').primaryKey(),
  name: text('name').notNull(),
  purpose: text('purpose').notNull(),
  hue: integer('hue').notNull(),
});

export const people = pgTable(
  'people',
  {
    id: serial('id').primaryKey(),
    name: text('name').notNull(),
    email: text('email').notNull(),
    title: text('title').notNull(),
    hue: integer('hue').notNull(),
  },
  (table) => [uniqueIndex('people_email').on(table.email)],
);

export const memberships = pgTable(
  'memberships',
  {
    personId: integer('person_id')
      .notNull()
      .references(() => people.id, { onDelete: 'cascade' }),
    teamId: integer('team_id')
      .notNull()
      .references(() => teams.id, { onDelete: 'cascade' }),
  },
  (table) => [primaryKey({ columns: [table.personId, table.teamId] })],
);

export const tickets = pgTable(
  'tickets',
  {
    id: serial('id').primaryKey(),
    subject: text('subject').notNull(),
    body: text('body').notNull(),
    status: text('status').$type<Status>().notNull(),
    priority: text('priority').$type<Priority>().notNull(),
    /** The priority as a number that the database can sort by. 1 is urgent. */
    urgency: integer('urgency').notNull(),
    teamId: integer('team_id')
      .notNull()
      .references(() => teams.id),
    assigneeId: integer('assignee_id').references(() => people.id),
    /** `team`: only members of the team can see it. */
    visibility: text('visibility').$type<Visibility>().notNull().default('everyone'),
    requesterName: text('requester_name').notNull(),
    requesterEmail: text('requester_email').notNull(),
    /** Counts the changes. An edit names the version that it started from. */
    version: integer('version').notNull().default(1),
    createdAt: at('created_at').notNull(),
    updatedAt: at('updated_at').notNull(),
  },
  (table) => [
    index('tickets_status_updated').on(table.status, table.updatedAt),
    index('tickets_updated').on(table.updatedAt),
    index('tickets_assignee').on(table.assigneeId),
    index('tickets_team').on(table.teamId),
  ],
);

export const comments = pgTable(
  'comments',
  {
    id: serial('id').primaryKey(),
    ticketId: integer('ticket_id')
      .notNull()
      .references(() => tickets.id, { onDelete: 'cascade' }),
    /** Null: the customer wrote it. */
    authorId: integer('author_id').references(() => people.id),
    body: text('body').notNull(),
    createdAt: at('created_at').notNull(),
  },
  (table) => [index('comments_ticket').on(table.ticketId)],
);

/** The history of the tickets. */
export const changes = pgTable(
  'changes',
  {
    id: serial('id').primaryKey(),
    ticketId: integer('ticket_id')
      .notNull()
      .references(() => tickets.id, { onDelete: 'cascade' }),
    actorId: integer('actor_id').references(() => people.id),
    kind: text('kind').$type<ChangeKind>().notNull(),
    from: text('from_value'),
    to: text('to_value'),
    createdAt: at('created_at').notNull(),
  },
  (table) => [index('changes_ticket').on(table.ticketId)],
);

export const notifications = pgTable(
  'notifications',
  {
    id: serial('id').primaryKey(),
    personId: integer('person_id')
      .notNull()
      .references(() => people.id, { onDelete: 'cascade' }),
    ticketId: integer('ticket_id')
      .notNull()
      .references(() => tickets.id, { onDelete: 'cascade' }),
    actorId: integer('actor_id')
      .notNull()
      .references(() => people.id),
    kind: text('kind').$type<NotificationKind>().notNull(),
    /** How many other tickets of this user the same change affected. */
    others: integer('others').notNull().default(0),
    createdAt: at('created_at').notNull(),
    readAt: at('read_at'),
  },
  (table) => [
    index('notifications_unread')
      .on(table.personId)
      .where(sql`${table.readAt} is null`),
  ],
);

export const sessions = pgTable('sessions', {
  /** The SHA-256 of the cookie's token, so that a leaked table contains no usable token. */
  tokenHash: text('token_hash').primaryKey(),
  personId: integer('person_id')
    .notNull()
    .references(() => people.id, { onDelete: 'cascade' }),
  expiresAt: at('expires_at').notNull(),
});

/** Responses to requests with a key, for clients that send the request again because the response got lost. */
export const answers = pgTable(
  'answers',
  {
    personId: integer('person_id')
      .notNull()
      .references(() => people.id, { onDelete: 'cascade' }),
    key: text('key').notNull(),
    /** Null until the work is done. */
    answer: jsonb('answer'),
    at: at('at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.personId, table.key] })],
);

/** The user of each client id. The ids are sent as `source`, so other users can read them. */
export const clients = pgTable('clients', {
  id: text('id').primaryKey(),
  personId: integer('person_id')
    .notNull()
    .references(() => people.id, { onDelete: 'cascade' }),
  seenAt: at('seen_at').notNull(),
});
