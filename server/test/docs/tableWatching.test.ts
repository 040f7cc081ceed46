// Runs the code blocks of docs/server/table-watching.md against a PostgreSQL in this process.

import type { Directive } from '@edict/core';
import type { PGlite } from '@electric-sql/pglite';
import { drizzle, type PgliteDatabase } from 'drizzle-orm/pglite';
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import type { Hub } from '../../src/index.ts';
import { migrate, type PrismaTransaction, type Relay, type TableWatch } from '../../src/postgres/index.ts';
import { emptyDatabase, poolOf } from '../support/emptyDatabase.ts';
import { openPage } from '../support/pages.ts';
import { serveHub, subscribe } from '../support/servers.ts';

const guide = 'docs/server/table-watching.md';

interface Desk {
  readonly tickets: TableWatch;
  readonly start: (db: PGlite, hub: Hub) => Promise<Relay>;
}

interface Prisma {
  readonly $transaction: <T>(work: (tx: PrismaTransaction) => Promise<T>) => Promise<T>;
}

type Close<Db> = (db: Db, id: never, clientId: string | null) => Promise<Directive[]>;

interface Libraries {
  readonly withDrizzle: Close<PgliteDatabase>;
  readonly withKysely: Close<Kysely<{ ticket: { id: number; status: string } }>>;
  readonly withPrisma: Close<Prisma>;
  readonly withPg: Close<PostgresPool>;
}

async function ticketDatabase(): Promise<PGlite> {
  const db = await emptyDatabase();
  await db.exec(
    `CREATE TABLE ticket (id int PRIMARY KEY, title text, status text DEFAULT 'open', team_id int DEFAULT 3)`,
  );
  await db.exec(`INSERT INTO ticket (id) VALUES (7)`);
  return db;
}

/** The part of Prisma's generated client that the page uses. */
const prismaOf = (db: PGlite): Prisma => ({
  $transaction: (work) =>
    db.transaction((tx) =>
      work({ $queryRawUnsafe: async (sql, ...params) => (await tx.query(sql, params)).rows }),
    ),
});

it('sends changes by plain SQL to the screens of the team', async () => {
  const { start } = await openPage(guide).run<Desk>('desk.ts');
  const db = await ticketDatabase();
  const { hub, url } = await serveHub({ authorize: () => true });
  const relay = await start(db, hub);
  onTestFinished(() => relay.close());
  const stream = await subscribe(url, '?client_id=b&audience=team-3');
  await stream.atLeast(1);
  await db.query(`UPDATE ticket SET title = 'x'`);
  const [, pushed] = await stream.atLeast(2);
  expect(pushed?.envelope?.directives).toHaveLength(2);
});

it('announces a counter when a watched column of a row changes, or a row is deleted', async () => {
  const { counters } = await openPage(guide).run<{ counters: TableWatch }>('counters.ts');
  const db = await ticketDatabase();
  await migrate(db);
  await counters.install(db);
  await db.query(`UPDATE ticket SET title = 'x'`);
  await db.query(`UPDATE ticket SET status = 'closed'`);
  await db.query('DELETE FROM ticket');
  const { rows } = await db.query<{ text: string }>(
    'SELECT directives AS text FROM edict_outbox ORDER BY id',
  );
  const refreshed = { op: 'refresh_item', name: 'counters', id: 'team-3' };
  expect(rows.map(({ text }) => JSON.parse(text) as unknown)).toMatchObject([[refreshed], [refreshed]]);
});

it('announces the comments of a ticket to the team of the ticket, unless the ticket was deleted', async () => {
  const { comments } = await openPage(guide).run<{ comments: TableWatch }>('comments.ts');
  const db = await ticketDatabase();
  await db.exec(
    'CREATE TABLE comment (ticket_id int NOT NULL REFERENCES ticket ON DELETE CASCADE, text text)',
  );
  await migrate(db);
  await comments.install(db);
  await db.query(`INSERT INTO comment VALUES (7, 'a'), (7, 'b')`);
  await db.query(`DELETE FROM comment WHERE text = 'a'`);
  await db.query('DELETE FROM ticket');
  const { rows } = await db.query<{ audience: string; text: string }>(
    'SELECT audience, directives AS text FROM edict_outbox ORDER BY id',
  );
  const refreshed = ['team-3', [expect.objectContaining({ op: 'refresh_item', name: 'comments', id: 7 })]];
  expect(rows.map(({ audience, text }) => [audience, JSON.parse(text) as unknown])).toEqual([
    refreshed,
    refreshed,
  ]);
});

it('announces the balance of a customer when a payment or an invoice changes, or both are deleted', async () => {
  const { balances } = await openPage(guide).run<{ balances: TableWatch[] }>('balances.ts');
  const db = await emptyDatabase();
  await db.exec(
    `CREATE TABLE invoice (id int PRIMARY KEY, customer_id int NOT NULL, team_id int DEFAULT 3);
     CREATE TABLE payment (invoice_id int NOT NULL REFERENCES invoice ON DELETE CASCADE, cents int)`,
  );
  await migrate(db);
  for (const watch of balances) await watch.install(db);
  const announced = async (sql: string): Promise<unknown[]> => {
    await db.exec(sql);
    const { rows } = await db.query<{ text: string }>(
      'DELETE FROM edict_outbox RETURNING directives AS text',
    );
    return rows.map(({ text }) =>
      (JSON.parse(text) as { name: string; id: number }[]).map(({ name, id }) => `${name} ${id}`).sort(),
    );
  };
  expect(await announced('INSERT INTO invoice VALUES (1, 5)')).toEqual([['customer 5']]);
  expect(await announced('INSERT INTO payment VALUES (1, 100), (1, 200)')).toEqual([['customer 5']]);
  expect(await announced('DELETE FROM payment WHERE cents = 100')).toEqual([['customer 5']]);
  expect(await announced('UPDATE invoice SET customer_id = 6')).toEqual([['customer 5', 'customer 6']]);
  expect(await announced('DELETE FROM invoice')).toEqual([['customer 6']]);
});

it('installs with the migration', async () => {
  const { migration } = await openPage(guide).run<{ migration: string }>('migration.ts');
  const db = await ticketDatabase();
  await db.exec(migration);
  await db.query(`UPDATE ticket SET title = 'x'`);
  expect((await db.query('SELECT audience FROM edict_outbox')).rows).toEqual([{ audience: 'team-3' }]);
});

it.each<[string, (db: PGlite) => Promise<Directive[]>]>([
  [
    'PGlite',
    async (db) =>
      (await openPage(guide).run<{ closeTicket: Close<PGlite> }>('close.ts')).closeTicket(
        db,
        7 as never,
        'a',
      ),
  ],
  ['Drizzle', async (db) => (await libraries()).withDrizzle(drizzle(db), 7 as never, 'a')],
  [
    'Kysely',
    async (db) =>
      (await libraries()).withKysely(
        new Kysely({ dialect: new PostgresDialect({ pool: poolOf(db) }) }),
        7 as never,
        'a',
      ),
  ],
  [
    'a client with the method of Prisma',
    async (db) => (await libraries()).withPrisma(prismaOf(db), '7' as never, 'a'),
  ],
  ['pg', async (db) => (await libraries()).withPg(poolOf(db), 7 as never, 'a')],
])('the response of a mutation carries the directives of its transaction with %s', async (_, close) => {
  const { tickets } = await openPage(guide).run<Desk>('desk.ts');
  const db = await ticketDatabase();
  await migrate(db);
  await tickets.install(db);
  const directives = await close(db);
  expect(directives.map(({ op, source }) => `${op} of ${source}`).sort((a, b) => a.localeCompare(b))).toEqual(
    ['refresh_collection of a', 'refresh_collection of a', 'refresh_item of a'],
  );
  expect((await db.query('SELECT status FROM ticket')).rows).toEqual([{ status: 'closed' }]);
});

const libraries = (): Promise<Libraries> => openPage(guide).run<Libraries>('libraries.ts');
