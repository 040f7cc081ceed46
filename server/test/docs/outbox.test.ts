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
