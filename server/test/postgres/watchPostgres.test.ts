// `watchTable` on a real PostgreSQL: several sessions, roles, partitions, COPY, and its cost.

import { once } from 'node:events';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres, { type Sql } from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { migrate, outbox, setClientId, watchTable } from '../../src/postgres/index.ts';
import { listeningHub } from './listeningHub.ts';
import { relayForTest } from './outbox.contract.ts';
import { hasPostgres, startPostgres, type PostgresServer } from './postgresServer.ts';
import { takeSent, ticketOptions, ticketTable, watchContract } from './watchTable.contract.ts';

describe.runIf(hasPostgres)('PostgreSQL', () => {
  let server: PostgresServer;
  let sql: Sql;
  beforeAll(async () => {
    server = await startPostgres();
    ({ sql } = server);
  });
  afterAll(() => server.stop());

  const run = async (text: string): Promise<readonly unknown[]> => [...(await sql.unsafe(text))];

  watchContract('postgres.js', () => ({
    db: sql,
    run,
    transaction: (work) => sql.begin((tx) => work(tx, (text) => tx.unsafe(text))),
  }));

  watchContract('Drizzle with postgres.js', () => {
    const orm = drizzle(sql);
    return {
      db: orm,
      run,
      transaction: (work) => orm.transaction((tx) => work(tx, (text) => tx.execute(text))),
    };
  });

  describe('a watched table', () => {
    beforeEach(async () => {
      await run('DROP TABLE IF EXISTS edict_outbox, ticket CASCADE');
      await migrate(sql);
      await run(ticketTable);
      await watchTable(ticketOptions).install(sql);
    });

    it('keeps the directives of released savepoints and drops those of rolled back ones', async () => {
      await sql.begin(async (tx) => {
        await setClientId(tx, 'client-1');
        await tx`INSERT INTO ticket (id, team) VALUES (1, 3)`;
        await tx.savepoint(async (inner) => {
          await inner`INSERT INTO ticket (id, team) VALUES (2, 3)`;
          throw new Error('no');
        }).catch(() => {}); // prettier-ignore
        await tx.savepoint((inner) => inner`INSERT INTO ticket (id, team) VALUES (3, 3)`);
        const ids = (await outbox(tx).directives()).flatMap((directive) =>
          'id' in directive ? directive.id : [],
        );
        expect(ids).toEqual([1, 3]);
      });
      const hub = listeningHub();
      await relayForTest(sql, hub).drain();
      expect(hub.ids().filter((id) => id !== null)).toEqual([1, 3]);
    });

    it('sends the directives of concurrent writers in the order of their commits', async () => {
      await run(`INSERT INTO ticket (id, team) SELECT n, 3 FROM generate_series(1, 4) AS n`);
      const hub = listeningHub();
      const relay = relayForTest(sql, hub);
      await relay.drain();
      const before = hub.keys().length;
      const writer = async (id: number): Promise<void> => {
        for (let turn = 0; turn < 10; turn += 1)
          await sql`UPDATE ticket SET title = ${`${turn}`} WHERE id = ${id}`;
        await sql`DELETE FROM ticket WHERE id = ${id}`;
      };
      await Promise.all([1, 2, 3, 4].map(writer));
      await relay.drain(); // It does not wait for rows that another relay delivers, so there is only this one.
      for (const id of [1, 2, 3, 4]) {
        const results = hub.lists
          .flatMap(({ directives }) => directives)
          .filter((directive) => 'id' in directive && directive.id === id)
          .map((directive) => 'result' in directive);
        expect(results).toEqual([...Array.from({ length: 11 }, () => false), true]);
      }
      expect(new Set(hub.keys().slice(before)).size).toBe(88);
    });

    it('sends the changes of a role that may not use the outbox', async () => {
      await run(`DO $$ BEGIN CREATE ROLE clerk; EXCEPTION WHEN duplicate_object THEN END $$`);
      await run('GRANT INSERT ON ticket TO clerk');
      const clerk = postgres(server.url, { onnotice: () => {}, connection: { role: 'clerk' } });
      onTestFinished(() => clerk.end());
      await clerk`INSERT INTO ticket (id, team) VALUES (1, 3)`;
      expect(await run('SELECT count(position)::int FROM edict_outbox')).toEqual([{ count: 1 }]);
    });

    it('is watched by a role that is no superuser', async () => {
      await run(`DO $$ BEGIN CREATE ROLE owner_of_tickets; EXCEPTION WHEN duplicate_object THEN END $$`);
      await run('CREATE SCHEMA IF NOT EXISTS desk AUTHORIZATION owner_of_tickets');
      const owner = postgres(server.url, { onnotice: () => {}, connection: { role: 'owner_of_tickets', search_path: 'desk' } }); // prettier-ignore
      onTestFinished(() => owner.end());
      await migrate(owner);
      await owner`CREATE TABLE IF NOT EXISTS "Note" (id int PRIMARY KEY)`;
      await watchTable({ table: 'Note', type: 'note', id: 'id' }).install(owner);
      await owner`INSERT INTO "Note" VALUES (1)`;
      const rows = await sql`SELECT audience FROM desk.edict_outbox`; // Another search path.
      expect([...rows]).toEqual([{ audience: 'global' }]);
      await sql`INSERT INTO desk."Note" VALUES (2)`;
      expect([...(await sql`SELECT count(position)::int FROM desk.edict_outbox`)]).toEqual([{ count: 2 }]);
      await run('DROP SCHEMA desk CASCADE');
    });

    it('sends what COPY adds', async () => {
      const stream = await sql`COPY ticket (id, team) FROM STDIN`.writable();
      stream.end('1\t3\n2\t3\n');
      await once(stream, 'finish');
      expect(JSON.stringify(await takeSent(run))).toMatch(/"id":1.*"id":2/);
    });

    it('takes no lock and changes nothing when it is installed again', async () => {
      const writer = postgres(server.url, { onnotice: () => {}, max: 1 });
      onTestFinished(() => writer.end());
      await writer.begin(async (tx) => {
        await tx`INSERT INTO ticket (id, team) VALUES (1, 3)`; // Holds a lock that DDL would wait for.
        await sql.begin(async (installer) => {
          await installer`SET LOCAL lock_timeout = '200ms'`;
          await watchTable(ticketOptions).install(installer);
        });
      });
    });

    it('runs its trigger once for a large update, and writes one outbox row per audience', async () => {
      await run(`ALTER TABLE ticket ADD body text DEFAULT repeat('text ', 20)`);
      // If the work grew with the square of the rows, the test would not end within its time limit.
      await run(
        `INSERT INTO ticket (id, team, title) SELECT n, n % 3, 'a' FROM generate_series(1, 50000) AS n`,
      );
      await takeSent(run);
      const [plan] = await sql`EXPLAIN (ANALYZE, FORMAT JSON) UPDATE ticket SET title = title || 'x'`;
      const [{ Triggers: triggers }] = (plan as { 'QUERY PLAN': unknown })['QUERY PLAN'] as [
        { Triggers: unknown[] },
      ];
      const name: unknown = expect.stringMatching(/_update$/);
      expect(triggers).toContainEqual(expect.objectContaining({ 'Trigger Name': name, Calls: 1 }));
      expect(await takeSent(run)).toHaveLength(3);
    });
  });

  describe('a partitioned table', () => {
    const byMonth = watchTable({ table: 'event', type: 'event', id: 'id', columns: ['month'] });
    const idsSent = async (): Promise<unknown[]> =>
      (await takeSent(run)).flatMap((row) => Object.values(row).flat() as { id: unknown; result?: null }[]).map((directive) => ('result' in directive ? `gone ${String(directive.id)}` : directive.id)); // prettier-ignore

    beforeEach(async () => {
      await run('DROP TABLE IF EXISTS edict_outbox, event CASCADE');
      await migrate(sql);
      await run(
        'CREATE TABLE event (id int NOT NULL, month int NOT NULL, PRIMARY KEY (id, month)) PARTITION BY LIST (month)',
      );
      await run('CREATE TABLE event_1 PARTITION OF event FOR VALUES IN (1)');
      await run('CREATE TABLE event_2 (month int NOT NULL, id int NOT NULL)'); // Another order of columns.
      await run('ALTER TABLE event ATTACH PARTITION event_2 FOR VALUES IN (2)');
      await byMonth.install(sql);
    });

    it('sends changes by its own name and by the name of a partition, once', async () => {
      await run('INSERT INTO event VALUES (1, 1), (2, 2)');
      expect(new Set(await idsSent())).toEqual(new Set([1, 2]));
      await run('INSERT INTO event_2 (id, month) VALUES (3, 2)');
      expect(await idsSent()).toEqual([3]);
      await run('UPDATE event SET month = 2 WHERE id = 1'); // Moves the row to the other partition.
      expect(await idsSent()).toEqual([1]);
      await run('DELETE FROM event_2 WHERE id = 3');
      expect(await idsSent()).toEqual(['gone 3']);
      await run('TRUNCATE event_1');
      expect(await idsSent()).toEqual([undefined]);
    });

    it('watches a partition that is added later by the name of the table, and by its own name after another install', async () => {
      await run('CREATE TABLE event_3 PARTITION OF event FOR VALUES IN (3)');
      await run('INSERT INTO event VALUES (1, 3)');
      expect(await idsSent()).toEqual([1]);
      await byMonth.install(sql);
      await run('INSERT INTO event_3 VALUES (2, 3)');
      expect(await idsSent()).toEqual([2]);
      await byMonth.remove(sql);
      await run('INSERT INTO event_3 VALUES (4, 3)');
      expect(await idsSent()).toEqual([]);
    });

    it('is removed from a partition that was detached', async () => {
      await run('ALTER TABLE event DETACH PARTITION event_1');
      await byMonth.remove(sql);
      await run('INSERT INTO event VALUES (1, 2)');
      await run('INSERT INTO event_1 VALUES (2, 1)');
      expect(await idsSent()).toEqual([]);
    });
  });
});
