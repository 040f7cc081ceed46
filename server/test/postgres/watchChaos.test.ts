// Writers in plain SQL change a watched table in every way at the same time, while relays are replaced and streams are cut. In the end every
// client shows what is in the database, although nothing becomes stale by itself.

import { createDataLayer, type DataLayer } from '@edict/core';
import postgres, { type Sql } from 'postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createHub } from '../../src/index.ts';
import { createRelay, migrate, watchTable, type Relay } from '../../src/postgres/index.ts';
import { createChance } from '../chaos/chance.ts';
import { serveHttp } from '../support/servers.ts';
import { hasPostgres, startPostgres, type PostgresServer } from './postgresServer.ts';

const hourMs = 3_600_000;
const statuses = ['open', 'closed', 'waiting'];
const ids = Array.from({ length: 30 }, (_, index) => index + 1);

describe.runIf(hasPostgres)('clients of a watched table', () => {
  let server: PostgresServer;
  let sql: Sql;
  beforeAll(async () => {
    server = await startPostgres();
    ({ sql } = server);
    await migrate(sql);
    await sql`CREATE TABLE ticket (id int PRIMARY KEY, status text NOT NULL, version int NOT NULL)`;
    await watchTable({
      table: 'ticket',
      type: 'ticket',
      id: 'id',
      collections: [{ name: 'tickets', params: { status: 'status' } }],
      maxItems: 10,
    }).install(sql);
  });
  afterAll(() => server.stop());

  /** A client that shows every ticket and one list per status. */
  function openClient(baseUrl: string): DataLayer {
    const dl = createDataLayer();
    onTestFinished(() => dl.dispose());
    dl.init({
      sse: { baseUrl, initialRetryMs: 50, maxRetryMs: 200, resyncJitterMinMs: 1, resyncJitterMaxMs: 20 },
      bulk: { delayMs: 5, retryFailedMs: 50 },
    });
    dl.createType('ticket', {
      stalenessMs: hourMs,
      fetch: async (id) => (await sql`SELECT * FROM ticket WHERE id = ${Number(id)}`)[0] ?? null,
      bulkFetch: async (list) => {
        const rows = await sql`SELECT * FROM ticket WHERE id = ANY (${list.map(Number)})`;
        return new Map(list.map((id) => [id, rows.find((row) => row['id'] === Number(id)) ?? null]));
      },
    });
    dl.createCollection('tickets', {
      stalenessMs: hourMs,
      fetch: async (params) => {
        const { status } = params as { status: string };
        return {
          ids: (await sql`SELECT id FROM ticket WHERE status = ${status} ORDER BY id`).map(
            (row) => row['id'] as number,
          ),
        };
      },
    });
    for (const id of ids) dl.onRefChange(dl.fetchItem('ticket', id), () => {});
    for (const status of statuses)
      dl.onRefChange(dl.fetchCollection('tickets', { params: { status } }), () => {});
    return dl;
  }

  const shown = (dl: DataLayer): unknown => ({
    tickets: ids.flatMap((id) => (dl.getItemRef('ticket', id).data as object | null) ?? []),
    lists: statuses.map((status) => dl.getCollectionRef('tickets', { params: { status } }).data.ids),
  });

  async function truth(): Promise<unknown> {
    const rows = [...(await sql`SELECT * FROM ticket ORDER BY id`)];
    const lists = statuses.map((status) =>
      rows.filter((row) => row['status'] === status).map((row) => row['id']),
    );
    return { tickets: rows.map((row) => ({ ...row })), lists };
  }

  it.each([1, 2, 3])('D-HUB-11 end at the truth with writers in SQL (seed %i)', async (seed) => {
    const { next, pick } = createChance(seed);
    const hub = createHub({ log: () => {} });
    onTestFinished(() => hub.close({ retryMs: [0, 0] }));
    const { url, server: http } = await serveHttp(hub.nodeHandler);
    let relay: Relay = createRelay({ db: sql, hub, pollMs: 20, log: () => {} });
    onTestFinished(() => relay.close());
    const clients = Array.from({ length: 3 }, () => openClient(url));
    // Node's fetch loads its parser for the first response of a process. If that connection is cut meanwhile, the request never ends.
    await expect.poll(() => clients.every((dl) => dl.state().sse.connected)).toBe(true);

    const status = (): string => `'${pick(statuses)}'`;
    const statements: (() => string)[] = [
      () => `UPDATE ticket SET version = version + 1, status = ${status()} WHERE id = ${pick(ids)}`,
      () => `UPDATE ticket SET version = version + 1 WHERE id % 5 = ${pick([0, 1, 2, 3, 4])}`,
      () => `UPDATE ticket SET version = version + 1`, // More rows than maxItems.
      () => `DELETE FROM ticket WHERE id = ${pick(ids)}`,
      () => `DELETE FROM ticket WHERE id % 5 = ${pick([0, 1, 2, 3, 4])}`,
      () =>
        `INSERT INTO ticket SELECT n, ${status()}, 1 FROM generate_series(1, 30) AS n ON CONFLICT (id) DO UPDATE SET version = ticket.version + 1`,
      () => `INSERT INTO ticket VALUES (${pick(ids)}, ${status()}, 1) ON CONFLICT (id) DO NOTHING`,
      () =>
        `UPDATE ticket SET id = ${pick(ids)} WHERE id = ${pick(ids)} AND NOT EXISTS (SELECT FROM ticket WHERE id = ${pick(ids)})`,
      () => 'TRUNCATE ticket',
      () =>
        `BEGIN; UPDATE ticket SET version = version + 1; SAVEPOINT a; DELETE FROM ticket; ROLLBACK TO a; COMMIT`,
      () => `BEGIN; DELETE FROM ticket; ROLLBACK`,
    ];
    async function writer(): Promise<void> {
      const own = postgres(server.url, { onnotice: () => {}, max: 1 });
      for (let turn = 0; turn < 60; turn += 1) {
        // Statements may deadlock or break the primary key. Then nothing has changed.
        await own
          .unsafe(pick(statements)())
          .simple()
          .catch(() => own.unsafe('ROLLBACK'));
      }
      await own.end();
    }
    async function troublemaker(): Promise<void> {
      for (let turn = 0; turn < 10; turn += 1) {
        await new Promise((done) => setTimeout(done, next() * 100));
        if (turn % 2 === 0) http.closeAllConnections();
        else {
          await relay.close();
          relay = createRelay({ db: sql, hub, pollMs: 20, log: () => {} });
        }
      }
    }
    await Promise.all([writer(), writer(), writer(), troublemaker()]);
    const expected = await truth();
    for (const dl of clients) await expect.poll(() => shown(dl)).toEqual(expected);
    expect([...(await sql`SELECT refusal FROM edict_outbox WHERE refusal IS NOT NULL`)]).toEqual([]);
  });
});
