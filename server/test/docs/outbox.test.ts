// Runs the code blocks of docs/server/outbox.md with a real PostgreSQL in this process.

import type { Directive } from '@edict/core';
import type { PGlite } from '@electric-sql/pglite';
import type { PostgresPool } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Hub } from '../../src/index.ts';
import { migrate, type Relay } from '../../src/postgres/index.ts';
import { emptyDatabase, poolOf } from '../support/emptyDatabase.ts';
import { openPage } from '../support/pages.ts';
import { serveHub, subscribe } from '../support/servers.ts';

const guide = 'docs/server/outbox.md';

/** The exports of desk.ts. */
interface Desk {
  readonly startRelay: (db: PGlite, hub: Hub) => Promise<Relay>;
  readonly closeTicket: (db: PGlite, id: number, source: string | null) => Promise<Directive[]>;
}

/** Contains two open tickets. Ticket 8 cannot be closed. */
async function ticketDatabase(): Promise<PGlite> {
  const db = await emptyDatabase();
  await db.exec("CREATE TABLE ticket (id int PRIMARY KEY, status text CHECK (id <> 8 OR status = 'open'))");
  await db.exec("INSERT INTO ticket VALUES (7, 'open'), (8, 'open')");
  return db;
}

it('“Directives in your transaction”: without an outbox, the directive is emitted only after the commit', async () => {
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
  await closeTicket({ emit } as Hub, 7); // The block uses no other method of a hub.
  expect(done).toEqual(['committed 7', [{ op: 'refresh_item', name: 'ticket', id: 7 }]]);
});

it('“Directives in your transaction”: committed directives are emitted with the keys of the response, and rolled back ones are not', async () => {
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
});

it('“Directives in your transaction”: a client of `pg` writes the directives of the response to the outbox', async () => {
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

interface OwnOutbox {
  readonly announce: (
    tx: Sql,
    changed: Directive[],
    audience: string,
    source: string | null,
  ) => Promise<Directive[]>;
  readonly deliver: (db: Sql, hub: Hub) => Promise<void>;
}

interface Sql {
  run: (statement: string, ...values: string[]) => Promise<unknown>;
  all: (statement: string) => Promise<unknown[]>;
}

/** PostgreSQL counts the parameters of a statement. */
const sqlOf = (db: Pick<PGlite, 'query'>): Sql => ({
  run: (statement, ...values) => {
    let count = 0;
    return db.query(
      statement.replaceAll('?', () => `$${++count}`),
      values,
    );
  },
  all: async (statement) => (await db.query(statement)).rows,
});

it('“Another database”: the table contains what was committed, until it was delivered', async () => {
  const { announce, deliver } = await openPage(guide).run<OwnOutbox>('ownOutbox.ts');
  const db = await ticketDatabase();
  await db.exec('CREATE TABLE outbox (id text PRIMARY KEY, written text NOT NULL)');
  const { hub, url } = await serveHub({ authorize: () => true });
  const stream = await subscribe(url, '?client_id=b&audience=team-3');
  await stream.atLeast(1);
  const close = (id: number): Promise<Directive[]> =>
    db.transaction(async (tx) => {
      const directives = await announce(
        sqlOf(tx),
        [{ op: 'refresh_item', name: 'ticket', id }],
        'team-3',
        'a',
      );
      await tx.query("UPDATE ticket SET status = 'closed' WHERE id = $1", [id]);
      return directives;
    });

  await expect(close(8)).rejects.toThrow();
  const directives = await close(7);
  await deliver(sqlOf(db), hub);
  await deliver(sqlOf(db), hub);
  await hub.emit([{ op: 'refresh_item', name: 'ticket', id: 'last' }], { audience: 'team-3' });
  const envelopes = await stream.atLeast(3);
  expect(envelopes.slice(1).map(({ envelope }) => envelope?.directives)).toMatchObject([
    directives.map((directive) => ({ ...directive, source: 'a' })),
    [{ id: 'last' }],
  ]);
  expect(directives).toMatchObject([
    { id: 7, audience: 'team-3', idempotency_key: expect.any(String) as string },
  ]);
});

it('“Another database”: a row that cannot be delivered stays, and delays no other', async () => {
  const { announce, deliver } = await openPage(guide).run<OwnOutbox>('ownOutbox.ts');
  const db = await emptyDatabase();
  await db.exec('CREATE TABLE outbox (id text PRIMARY KEY, written text NOT NULL)');
  const { hub } = await serveHub({ authorize: () => true });
  const log = vi.spyOn(console, 'error').mockReturnValue();
  const sql = sqlOf(db);
  await sql.run('INSERT INTO outbox (id, written) VALUES (?, ?)', 'broken', '{');
  await announce(sql, [{ op: 'refresh_item', name: 'ticket', id: 7 }], 'team-3', null);
  await deliver(sql, hub);
  expect(await sql.all('SELECT id FROM outbox')).toEqual([{ id: 'broken' }]);
  expect(log).toHaveBeenCalledWith('The directives broken were not delivered.', expect.any(SyntaxError));
  log.mockRestore();
});
