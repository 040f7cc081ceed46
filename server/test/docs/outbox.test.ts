// docs/server/outbox.md: its blocks as they stand, with a real PostgreSQL in this process.

import type { Directive } from '@edict/core';
import { refreshItem } from '@edict/core/protocol';
import { PGlite, type Transaction as PGliteTransaction } from '@electric-sql/pglite';
import {
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type Transaction as KyselyTransaction,
} from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Hub } from '../../src/index.ts';
import { migrate, type Outbox, type Relay } from '../../src/postgres/index.ts';
import { openPage } from '../support/pages.ts';
import { serveHub, subscribe } from '../support/servers.ts';

const guide = 'docs/server/outbox.md';

/** What desk.ts exports. */
interface Desk {
  readonly startRelay: (db: PGlite, hub: Hub) => Promise<Relay>;
  readonly closeTicket: (db: PGlite, id: number, source: string | null) => Promise<Directive[]>;
}

/** What adapters.ts exports. */
interface Adapters {
  readonly kyselyOutbox: <DB>(trx: KyselyTransaction<DB>) => Outbox;
  readonly prismaOutbox: (tx: PrismaTransaction) => Outbox;
}

interface PrismaTransaction {
  readonly $queryRawUnsafe: (sql: string, ...values: string[]) => Promise<unknown[]>;
}

interface Tables {
  ticket: { id: number; status: string };
}

/** Two open tickets, of which 8 cannot be closed. */
async function ticketDatabase(): Promise<PGlite> {
  const db = await PGlite.create();
  onTestFinished(() => db.close());
  await db.exec("CREATE TABLE ticket (id int PRIMARY KEY, status text CHECK (id <> 8 OR status = 'open'))");
  await db.exec("INSERT INTO ticket VALUES (7, 'open'), (8, 'open')");
  return db;
}

/** The first directives that a subscriber hears from a relay that starts now. */
async function delivered(db: PGlite): Promise<readonly unknown[]> {
  const { startRelay } = await openPage(guide).run<Desk>('desk.ts');
  const { hub, url } = await serveHub();
  const stream = await subscribe(url, '?client_id=b');
  await stream.atLeast(1);
  const relay = await startRelay(db, hub);
  onTestFinished(() => relay.close());
  const [, pushed] = await stream.atLeast(2);
  return pushed?.envelope?.directives ?? [];
}

it('“Directives in your transaction”: between the two steps of the plain way nobody has been told', async () => {
  const { closeTicket } = await openPage(guide).run<{ closeTicket: (hub: Hub, id: number) => Promise<void> }>(
    'declare const tickets',
  );
  const done: unknown[] = [];
  const emit: Hub['emit'] = async (directives) => {
    done.push(directives);
    return [];
  };
  vi.stubGlobal('tickets', { close: async (id: number) => void done.push(`committed ${id}`) });
  onTestFinished(() => void vi.unstubAllGlobals());
  await closeTicket({ emit } as Hub, 7); // It asks nothing else of a hub.
  expect(done).toEqual(['committed 7', [{ op: 'refresh_item', name: 'ticket', id: 7 }]]);
});

it(
  '“Directives in your transaction”: what is committed goes out with the keys of the answer, what is rolled back does not',
  { timeout: 60_000 },
  async () => {
    const { startRelay, closeTicket } = await openPage(guide).run<Desk>('desk.ts');
    const db = await ticketDatabase();
    const { hub, url } = await serveHub({ authorize: () => true });
    const relay = await startRelay(db, hub);
    onTestFinished(() => relay.close());
    const stream = await subscribe(url, '?client_id=b&audience=team-3');
    await stream.atLeast(1);

    await expect(closeTicket(db, 8, 'a')).rejects.toThrow();
    const directives = await closeTicket(db, 7, 'a');
    expect(directives).toMatchObject([
      { op: 'refresh_item', id: 7, audience: 'team-3', source: 'a' },
      { op: 'refresh_collection', name: 'tickets', audience: 'team-3', source: 'a' },
    ]);
    const [, pushed] = await stream.atLeast(2);
    expect(pushed?.envelope?.directives).toMatchObject(directives);
    expect(
      directives.every(({ idempotency_key: key, seq }) => typeof key === 'string' && seq === undefined),
    ).toBe(true);
    expect((await db.query('SELECT status FROM ticket WHERE id = 7')).rows).toEqual([{ status: 'closed' }]);
  },
);

/** Closes a ticket in a transaction, after its directive was written to the outbox. */
type CloseTicket = (id: number) => Promise<Directive[]>;

const directiveOf = (id: number): Directive[] => [refreshItem('ticket', id)];

function withKysely(db: PGlite, { kyselyOutbox }: Adapters): CloseTicket {
  const orm = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: poolOf(db) }) });
  return (id) =>
    orm.transaction().execute(async (trx) => {
      const answer = await kyselyOutbox(trx).emit(directiveOf(id));
      await trx.updateTable('ticket').set({ status: 'closed' }).where('id', '=', id).execute();
      return answer;
    });
}

/** Prisma's client is generated from a schema; this has the one method of it that the guide speaks of. */
function likePrisma(db: PGlite, { prismaOutbox }: Adapters): CloseTicket {
  const clientOf = (tx: PGliteTransaction): PrismaTransaction => ({
    $queryRawUnsafe: async (sql, ...values) => (await tx.query(sql, values)).rows,
  });
  return (id) =>
    db.transaction(async (tx) => {
      const answer = await prismaOutbox(clientOf(tx)).emit(directiveOf(id));
      await tx.query("UPDATE ticket SET status = 'closed' WHERE id = $1", [id]);
      return answer;
    });
}

it('“Directives in your transaction”: the same with a client of `pg`', { timeout: 60_000 }, async () => {
  const db = await ticketDatabase();
  await migrate(db);
  const { closeTicket } = await openPage(guide).run<{
    closeTicket: (pool: PostgresPool, id: number, source: string | null) => Promise<Directive[]>;
  }>('pool.ts');
  const pool = poolOf(db);
  await expect(closeTicket(pool, 8, 'a')).rejects.toThrow();
  const answer = await closeTicket(pool, 7, 'a');
  expect(answer).toMatchObject([
    { op: 'refresh_item', id: 7, audience: 'team-3', source: 'a' },
    { op: 'refresh_collection', name: 'tickets', audience: 'team-3', source: 'a' },
  ]);
  const { rows } = await db.query<{ directives: string }>('SELECT directives FROM edict_outbox');
  expect(rows.flatMap(({ directives }) => JSON.parse(directives) as unknown[])).toEqual(answer);
});

/** The one connection of PGlite as a pool like that of `pg`. */
function poolOf(db: PGlite): PostgresPool {
  const client = {
    async query<Row>(sql: string, params: readonly unknown[] = []) {
      const { rows, affectedRows = 0 } = await db.query<Row>(sql, [...params]);
      return { command: 'SELECT' as const, rowCount: affectedRows, rows };
    },
    release: () => {},
  };
  // Kysely's other form of `query` makes a cursor, which nobody asks for here.
  return { connect: async () => client as PostgresPoolClient, end: async () => {} };
}

it.each([
  ['Kysely', withKysely],
  ['a client with the method of Prisma', likePrisma],
])(
  '“Databases and drivers”: with %s what is committed goes out with the keys of the answer, what is rolled back does not',
  { timeout: 60_000 },
  async (_, use) => {
    const db = await ticketDatabase();
    await migrate(db);
    const closeTicket = use(db, await openPage(guide).run<Adapters>('adapters.ts'));
    await expect(closeTicket(8)).rejects.toThrow();
    const answer = await closeTicket(7);
    expect(answer).toMatchObject([{ op: 'refresh_item', id: 7, audience: 'global' }]);
    expect(await delivered(db)).toEqual(
      answer.map((directive) => ({ ...directive, seq: expect.any(Number) })),
    );
  },
);
