import { inspect } from 'node:util';
import { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createRelay,
  migrate,
  outbox,
  outboxSql,
  type PgClient,
  type PgPool,
} from '../../src/postgres/index.ts';
import { listeningHub } from './listeningHub.ts';
import { outboxContract, refresh, relayForTest } from './outbox.contract.ts';

let db: PGlite;
beforeAll(async () => {
  db = await PGlite.create();
});
afterAll(() => db.close());

const run = async (sql: string): Promise<readonly unknown[]> => (await db.query(sql)).rows;

outboxContract('PGlite', () => ({ db, run, transaction: (work) => db.transaction(work) }));

outboxContract('Drizzle with PGlite', () => {
  const orm = drizzle(db);
  return { db: orm, run, transaction: (work) => orm.transaction(work) };
});

outboxContract('an adapter', () => ({
  run,
  transaction: (work) =>
    db.transaction((tx) =>
      work({ execute: async (sql: string, params: string[]) => (await tx.query(sql, params)).rows }),
    ),
  db: {
    inTransaction: (work) =>
      db.transaction((tx) =>
        work(async (sql, params) => (await tx.query<Record<string, unknown>>(sql, params)).rows),
      ),
    listen: (channel, onNotify) => db.listen(channel, onNotify),
  },
}));

describe('the outbox', () => {
  it('can use another table in another schema', async () => {
    await db.query('CREATE SCHEMA IF NOT EXISTS app');
    const table = 'app.changes';
    await migrate(db, { table });
    const hub = listeningHub();
    const relay = createRelay({ db, hub, table, pollMs: 60_000, log: () => {} });
    await db.transaction((tx) => outbox(tx, { table }).emit([refresh(1)]));
    await hub.has(1);
    await relay.close();
    expect(hub.ids()).toEqual([1]);
    expect(outboxSql({ table })).toContain('CREATE TABLE IF NOT EXISTS app.changes');
  });

  it('D-HUB-11 also takes a database with one connection, between BEGIN and COMMIT', async () => {
    const table = 'opened';
    await migrate(db, { table });
    for (const [id, end] of [
      [1, 'ROLLBACK'],
      [2, 'COMMIT'],
    ] as const) {
      await db.exec('BEGIN');
      await outbox(db, { table }).emit([refresh(id)]);
      await db.exec(end);
    }
    const hub = listeningHub();
    const relay = createRelay({ db, hub, table, pollMs: 60_000, log: () => {} });
    await hub.has(1);
    await relay.close();
    expect(hub.ids()).toEqual([2]);
  });

  it.each([
    ['the search path of a writer contains another outbox', 'SET LOCAL search_path TO other'],
    ['a writer has a temporary table of its name', 'CREATE TEMP TABLE edict_outbox () ON COMMIT DROP'],
  ])('D-HUB-5 keeps the order of the commits if %s', async (_, statement) => {
    await db.query('DROP TABLE IF EXISTS edict_outbox');
    await migrate(db);
    await db.query('CREATE SCHEMA IF NOT EXISTS other');
    await migrate(db, { table: 'other.edict_outbox' });
    const table = 'public.edict_outbox';
    await db.transaction(async (tx) => {
      await tx.query(statement);
      await outbox(tx, { table }).emit([refresh(1)]);
    });
    const { rows } = await db.query(`SELECT position IS NOT NULL AS "hasPlace" FROM ${table}`);
    expect(rows).toEqual([{ hasPlace: true }]);
  });

  it('delivers again with the same keys and in the same order after the relay ended between emit and delete', async () => {
    await db.query('DROP TABLE IF EXISTS edict_outbox');
    await migrate(db);
    const hub = listeningHub();
    for (const id of [1, 2]) await db.transaction((tx) => outbox(tx).emit([refresh(id)]));
    const dying = createRelay({
      db: {
        inTransaction: (work) =>
          db.transaction(async (tx) => {
            await work(async (sql, params) => (await tx.query<Record<string, unknown>>(sql, params)).rows);
            if (hub.lists.length === 1) throw new Error('the process was killed');
          }),
      },
      hub,
      pollMs: 60_000,
      log: () => {},
    });
    await hub.has(2);
    await dying.close();
    await db.transaction((tx) => outbox(tx).emit([refresh(3)]));
    await relayForTest(db, hub).drain();
    expect(hub.ids()).toEqual([1, 2, 1, 2, 3]);
    expect(new Set(hub.keys()).size).toBe(3);
  });

  it('releases each connection that refuses to listen, and logs the refusal', async () => {
    let lent = 0;
    const client: PgClient = {
      query: async (sql) => {
        if (sql.startsWith('LISTEN')) throw new Error('cannot execute LISTEN during recovery');
        return { rows: [] };
      },
      release: () => void (lent -= 1),
      on: () => client,
      off: () => client,
    };
    const pool: PgPool = {
      connect: async () => {
        lent += 1;
        return client;
      },
      query: async (sql) => client.query(sql),
    };
    const told: string[] = [];
    const log = (_level: string, message: string): void => void told.push(message);
    const relay = createRelay({ db: pool, hub: listeningHub(), pollMs: 60_000, log });
    await relay.drain();
    await relay.close();
    expect(told).toEqual(['The relay cannot listen. It only looks every 60000 ms.']);
    expect(lent).toBe(0);
  });

  it('D-DIR-10 rejects a list that is too long for clients', async () => {
    const run = { execute: () => Promise.resolve([]) };
    const list = Array.from({ length: 10_001 }, (_, id) => refresh(id));
    const wide = { maxEnvelopeBytes: 10_000_000 };
    await expect(outbox(run, wide).emit(list)).rejects.toThrow('more than 10000 directives');
    await expect(outbox(run, wide).emit(list.slice(1))).resolves.toHaveLength(10_000);
  });

  it.each(['nowhere', 'elsewhere.changes'])(
    'explains how to create the table %s if it does not exist',
    async (table) => {
      const orm = drizzle(db);
      const logged: string[] = [];
      const log = (_level: string, message: string, detail: unknown): void =>
        void logged.push(message, String(detail));
      const relay = createRelay({ db, hub: listeningHub(), table, pollMs: 60_000, log });
      const outcomes = await Promise.allSettled([
        relay.drain(),
        db.transaction((tx) => outbox(tx, { table }).emit([refresh(1)])),
        orm.transaction((tx) => outbox(tx, { table }).emit([refresh(1)])),
      ]);
      await relay.close();
      const missing = `Error: [edict] The outbox has no table ${table} in this database. Call migrate(db, { table: '${table}' }) when the process starts, or run the SQL of outboxSql with your migrations.`;
      expect(outcomes.map((outcome) => 'reason' in outcome && String(outcome.reason))).toEqual(
        outcomes.map(() => missing),
      );
      const line = `Outbox ${table}: the database refused. The relay tries again.`;
      expect(new Set(logged)).toEqual(new Set([line, missing]));
    },
  );

  it('explains how to create the table of the default name, and keeps the code of the database', async () => {
    const error = Object.assign(new Error('relation "edict_outbox" does not exist'), { code: '42P01' });
    const rejection: unknown = await outbox({ query: () => Promise.reject(error) })
      .emit([refresh(1)])
      .catch((reason: unknown) => reason);
    expect(String(rejection)).toContain(
      'The outbox has no table edict_outbox in this database. Call migrate(db) when',
    );
    expect(rejection).toHaveProperty('cause.code', '42P01');
  });

  it('D-HUB-8 rejects with the message and the code of the database, without the payload that drivers attach', async () => {
    const original = Object.assign(new Error('permission denied'), {
      code: '42501',
      detail: 'Failing row contains (secret).',
      parameters: ['secret'],
    });
    const ofDrizzle = new Error('Failed query: INSERT … params: secret', { cause: original });
    const ofAdapter = new Error('Transaction failed: secret', { cause: ofDrizzle });
    for (const error of [original, ofDrizzle, ofAdapter]) {
      const tx = { query: () => Promise.reject(error) };
      for (const call of [() => outbox(tx).emit([refresh('secret')]), () => migrate(tx)]) {
        const rejection: unknown = await call().catch((reason: unknown) => reason);
        expect(rejection).toMatchObject({ message: 'permission denied', code: '42501' });
        expect(inspect(rejection, { depth: null, showHidden: true })).not.toContain('secret');
      }
    }
  });

  it('names the code of a connection that failed at several addresses', async () => {
    const error = Object.assign(new AggregateError([new Error('::1'), new Error('127.0.0.1')]), {
      code: 'ECONNREFUSED',
    });
    const rejection = outbox({ query: () => Promise.reject(error) }).emit([refresh(1)]);
    await expect(rejection).rejects.toMatchObject({
      message: 'The connection failed (ECONNREFUSED).',
      code: 'ECONNREFUSED',
    });
  });

  it('names the wrong argument or option', () => {
    expect(() => outbox({} as never)).toThrow(
      /^\[edict\] outbox: expected a transaction .* received an object\. Pass \{ execute/,
    );
    expect(() => outbox(db, { table: 'x; DROP TABLE y' })).toThrow(
      /^\[edict\] outbox: table .*, not "x; DROP TABLE y"/,
    );
    expect(() => outbox(db, { table: 'a'.repeat(51) })).not.toThrow();
    expect(() => outbox(db, { table: 'a'.repeat(52) })).toThrow(/table must be a name of at most 51/);
    expect(() => createRelay({ db: {} as never, hub: listeningHub() })).toThrow(
      /db must be .*, not an object/,
    );
    expect(() => createRelay({ db, hub: {} as never })).toThrow(/hub must be .*, not an object/);
    expect(() => createRelay({ db, hub: listeningHub(), pollMs: 0 })).toThrow(/pollMs must be .*, not 0/);
    expect(() => createRelay({ db, hub: listeningHub(), pollMS: 5 } as never)).toThrow(
      'createRelay: pollMS is not an option. Use one of: db, hub, table, pollMs, log.',
    );
    expect(() => createRelay(undefined as never)).toThrow('createRelay: options must be an object');
    expect(() => outbox(db, { tabel: 'x' } as never)).toThrow(
      'outbox: tabel is not an option. Use one of: table, maxEnvelopeBytes, maxDirectivesPerEnvelope.',
    );
    expect(() => outboxSql({ tabel: 'x' } as never)).toThrow(
      'outboxSql: tabel is not an option. Use one of: table.',
    );
    expect(() => outboxSql(null as never)).toThrow('outboxSql: options must be an object, not null.');
    expect(() => createRelay({ db, hub: listeningHub(), log: 'console' as never })).toThrow(
      'createRelay: log must be a function, not "console".',
    );
    expect(() => outbox(db, { maxEnvelopeBytes: '64k' } as never)).toThrow(
      'outbox: maxEnvelopeBytes must be a whole number above 0, not "64k".',
    );
    expect(() => outbox(db, { maxDirectivesPerEnvelope: 20_000 })).toThrow(
      'outbox: maxDirectivesPerEnvelope must be at most 10000, not 20000.',
    );
  });
});
