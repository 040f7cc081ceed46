// Tests that need a server with several connections: the order of commits, concurrent relays, and a crash of a process.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres, { type Sql } from 'postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createRelay, migrate, outbox, type PgClient, type PgPool } from '../../src/postgres/index.ts';
import { compileProgram } from '../support/program.ts';
import { listeningHub, type ListeningHub } from './listeningHub.ts';
import { outboxContract, refresh, relayForTest } from './outbox.contract.ts';
import { hasPostgres, startPostgres, type PostgresServer } from './postgresServer.ts';

describe.runIf(hasPostgres)('an outbox on PostgreSQL', () => {
  let server: PostgresServer;
  let sql: Sql;
  beforeAll(async () => {
    server = await startPostgres();
    ({ sql } = server);
  });
  afterAll(() => server.stop());

  const run = async (text: string): Promise<readonly unknown[]> => [...(await sql.unsafe(text))];
  const transaction = (work: (tx: postgres.TransactionSql) => Promise<void>): Promise<unknown> =>
    sql.begin(work);

  outboxContract('postgres.js', () => ({ db: sql, run, transaction }));

  outboxContract('Drizzle with postgres.js', () => {
    const orm = drizzle(sql);
    return { db: orm, run, transaction: (work) => orm.transaction(work) };
  });

  outboxContract('a pool like that of pg', () => ({ db: poolLikePg(sql), run, transaction }));

  /** Opens a transaction that the test commits. */
  function openTransaction(): { tx: Promise<postgres.TransactionSql>; commit: () => Promise<void> } {
    let end = (): void => {};
    const ended = new Promise<void>((done) => (end = done));
    let whole: Promise<unknown> = Promise.resolve();
    const tx = new Promise<postgres.TransactionSql>((opened, failed) => {
      whole = sql.begin(async (inner) => {
        opened(inner);
        await ended;
      });
      whole.catch(failed);
    });
    return {
      tx,
      async commit() {
        end();
        await whole;
      },
    };
  }

  async function freshOutbox(): Promise<void> {
    await run('DROP TABLE IF EXISTS edict_outbox');
    await migrate(sql);
  }

  /** Opens a separate client whose sessions have these settings. */
  function connectedWith(connection: Record<string, string>): Sql {
    const own = postgres(server.url, { onnotice: () => {}, connection });
    onTestFinished(() => own.end());
    return own;
  }

  /** Resolves when the hub receives a list, to a function that lets the hub continue. */
  function heldIn(hub: ListeningHub): Promise<() => void> {
    return new Promise((given) => {
      hub.before = () => new Promise((goOn) => given(goOn));
    });
  }

  it('is created once by processes that start together', async () => {
    await run('DROP TABLE IF EXISTS edict_outbox');
    await Promise.all(Array.from({ length: 5 }, () => migrate(sql)));
    expect(await run('SELECT id FROM edict_outbox')).toEqual([]);
  });

  it('D-HUB-11 delivers in the order of the commits, not of the emits, and does not wait for open transactions', async () => {
    await freshOutbox();
    const hub = listeningHub();
    const [first, second] = [openTransaction(), openTransaction()];
    await outbox(await first.tx).emit([refresh('emitted first, committed last')]);
    await outbox(await second.tx).emit([refresh('emitted last, committed first')]);
    await second.commit();
    const relay = relayForTest(sql, hub);
    await relay.drain();
    expect(hub.ids()).toEqual(['emitted last, committed first']);
    await first.commit();
    await relay.drain();
    expect(hub.ids()).toEqual(['emitted last, committed first', 'emitted first, committed last']);
  });

  it('D-HUB-11 keeps the order of the commits within one pass', async () => {
    await freshOutbox();
    const hub = listeningHub();
    const open = Array.from({ length: 4 }, openTransaction);
    for (const [id, { tx }] of open.entries()) await outbox(await tx).emit([refresh(id)]);
    for (const id of [2, 0, 3, 1]) await open[id]?.commit();
    await relayForTest(sql, hub).drain();
    expect(hub.ids()).toEqual([2, 0, 3, 1]);
  });

  it('D-HUB-11 delivers every directive once and in order with concurrent writers, audiences and relays', async () => {
    await freshOutbox();
    await run('CREATE TABLE IF NOT EXISTS record (id text PRIMARY KEY, version int NOT NULL)');
    await run('TRUNCATE record');
    await run(`INSERT INTO record VALUES ('a', 0), ('b', 0), ('c', 0)`);
    const hub = listeningHub();
    const relays = Array.from({ length: 3 }, () => relayForTest(sql, hub, 50));
    const writer = async (seed: number): Promise<void> => {
      for (let turn = 0; turn < 20; turn += 1) {
        const id = 'abc'[(seed + turn) % 3] ?? 'a';
        await sql.begin(async (tx) => {
          const audience = `of ${id}`;
          await outbox(tx).emit([refresh(`noise of ${seed} ${turn}`)], { audience: 'noise' });
          const [row] = await tx`UPDATE record SET version = version + 1 WHERE id = ${id} RETURNING version`;
          await outbox(tx).emit([refresh(Number(row?.['version']))], { audience });
        });
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, seed) => writer(seed)));
    await hub.has(320);
    for (const id of ['a', 'b', 'c']) {
      const versions = hub.ids(`of ${id}`);
      expect(versions).toEqual(versions.map((_, index) => index + 1));
    }
    expect(new Set(hub.keys()).size).toBe(320);
    expect(hub.keys()).toHaveLength(320);
    await Promise.all(relays.map((relay) => relay.close()));
    expect(await run('SELECT id FROM edict_outbox')).toEqual([]);
  });

  it('D-HUB-11 lets another relay take over when the active one ends', async () => {
    await freshOutbox();
    const hub = listeningHub();
    const here = createRelay({ db: sql, hub, pollMs: 50, log: () => {} });
    relayForTest(sql, hub, 50);
    await transaction(async (tx) => void (await outbox(tx).emit([refresh(1)])));
    await hub.has(1);
    await here.close();
    await transaction(async (tx) => void (await outbox(tx).emit([refresh(2)])));
    await hub.has(2);
    expect(hub.ids()).toEqual([1, 2]);
  });

  it.each(['repeatable read', 'serializable'])(
    'D-HUB-11 delivers nothing twice where transactions are %s by default',
    async (level) => {
      await freshOutbox();
      const waiting = (): Promise<unknown> =>
        run(
          `SELECT count(*)::int AS count FROM pg_locks WHERE NOT granted AND relation = 'edict_outbox'::regclass`,
        );
      const hub = listeningHub();
      const isAtWork = heldIn(hub);
      await transaction(async (tx) => void (await outbox(tx).emit([refresh(1)])));
      const first = relayForTest(sql, hub);
      const goOn = await isAtWork;
      hub.before = () => {};
      // Like the creation of an index: it waits for the first relay, and the second relay waits behind it.
      const locking = transaction(
        async (tx) => void (await tx.unsafe('LOCK TABLE edict_outbox IN SHARE MODE')),
      );
      await expect.poll(waiting).toEqual([{ count: 1 }]);
      const second = relayForTest(connectedWith({ default_transaction_isolation: level }), hub);
      await expect.poll(waiting).toEqual([{ count: 2 }]);
      goOn();
      await Promise.all([first.drain(), locking, second.drain()]);
      expect(hub.ids()).toEqual([1]);
    },
  );

  it('does not make a relay wait for that of an outbox with the same name in another schema', async () => {
    const ofTenant = async (schema: string): Promise<Sql> => {
      await run(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
      const own = connectedWith({ search_path: schema });
      await migrate(own);
      await own.begin(async (tx) => void (await outbox(tx).emit([refresh(schema)])));
      return own;
    };
    const [first, second] = [await ofTenant('tenant_1'), await ofTenant('tenant_2')];
    const hub = listeningHub();
    const isAtWork = heldIn(hub);
    relayForTest(first, hub);
    const goOn = await isAtWork;
    const another = listeningHub();
    await relayForTest(second, another).drain();
    goOn();
    expect(another.ids()).toEqual(['tenant_2']);
  });

  it('shares one lock between relays that name the outbox with and without its schema', async () => {
    await freshOutbox();
    await transaction(async (tx) => void (await outbox(tx).emit([refresh(1)])));
    const hub = listeningHub();
    const isAtWork = heldIn(hub);
    const relay = relayForTest(sql, hub);
    const goOn = await isAtWork;
    const another = listeningHub();
    const itsRelay = createRelay({ db: sql, hub: another, table: 'public.edict_outbox', log: () => {} });
    onTestFinished(() => itsRelay.close());
    await itsRelay.drain();
    goOn();
    await relay.drain();
    await itsRelay.drain();
    expect([hub.ids(), another.ids()]).toEqual([[1], []]);
  });

  it.each([
    ['accepts no writes, such as a standby', { default_transaction_read_only: 'on' }, /read-only/],
    ['forbids deletes', { role: 'reader' }, /permission denied/],
  ])('makes a relay emit nothing that it cannot delete: its database %s', async (_, connection, reason) => {
    await freshOutbox();
    await run(`DO $$ BEGIN CREATE ROLE reader; EXCEPTION WHEN duplicate_object THEN END $$`);
    await run('GRANT SELECT, UPDATE ON edict_outbox TO reader');
    await transaction(async (tx) => void (await outbox(tx).emit([refresh(1)])));
    const hub = listeningHub();
    const relay = relayForTest(connectedWith(connection), hub);
    await expect(relay.drain()).rejects.toThrow(reason);
    expect(hub.ids()).toEqual([]);
    await relayForTest(sql, hub).drain();
    expect(hub.ids()).toEqual([1]);
  });

  /** Writes rows of two audiences, and creates a hub that accepts the first and rejects the second. */
  async function halfRefused(message: string): Promise<ListeningHub> {
    await freshOutbox();
    await transaction(async (tx) => {
      await outbox(tx).emit([refresh(1)]);
      await outbox(tx).emit([refresh(2)], { audience: 'team' });
    });
    const hub = listeningHub();
    hub.before = (directives) => {
      if (JSON.stringify(directives).includes('"id":2')) throw new TypeError(message);
    };
    return hub;
  }

  it('makes a relay emit nothing if it cannot set rows aside', async () => {
    const hub = await halfRefused('too large');
    await run(`DO $$ BEGIN CREATE ROLE taker; EXCEPTION WHEN duplicate_object THEN END $$`);
    await run('GRANT SELECT, DELETE ON edict_outbox TO taker');
    const relay = relayForTest(connectedWith({ role: 'taker' }), hub);
    for (let look = 0; look < 2; look++) await expect(relay.drain()).rejects.toThrow(/permission denied/);
    expect(hub.ids()).toEqual([]);
  });

  it('stores a refusal whose reason contains U+0000', async () => {
    const hub = await halfRefused('no \0 here');
    await relayForTest(sql, hub).drain();
    expect(hub.ids()).toEqual([1]);
    expect(await run('SELECT refusal FROM edict_outbox')).toEqual([{ refusal: 'no \uFFFD here' }]);
  });

  it('D-HUB-11 runs its trigger once for a transaction, however many rows there are', async () => {
    await freshOutbox();
    const own = connectedWith({ track_functions: 'pl' });
    await own.begin(async (tx) => {
      for (let id = 0; id < 50; id += 1) await outbox(tx).emit([refresh(id)]);
      await tx.savepoint(async (inner) => void (await outbox(inner).emit([refresh('in a savepoint')])));
    });
    await own.begin(async (tx) => {
      await tx.savepoint(async (inner) => {
        await outbox(inner).emit([refresh('rolled back')]);
        throw new Error('no');
      }).catch(() => {}); // prettier-ignore
      await outbox(tx).emit([refresh('after a savepoint')]);
    });
    await own`SELECT pg_stat_force_next_flush()`;
    expect([...(await own`SELECT calls::int FROM pg_stat_user_functions WHERE funcname = 'edict_outbox_commit'`)]).toEqual([{ calls: 2 }]); // prettier-ignore
    expect(await run('SELECT DISTINCT position::int FROM edict_outbox ORDER BY 1')).toEqual([{ position: 1 }, { position: 2 }]); // prettier-ignore
  });

  it('gives a position to rows that are written after the constraints of their transaction were checked', async () => {
    await freshOutbox();
    await sql.begin(async (tx) => {
      await outbox(tx).emit([refresh(1)]);
      await tx`SET CONSTRAINTS ALL IMMEDIATE`;
      await outbox(tx).emit([refresh(2)]);
      await tx`SET CONSTRAINTS ALL DEFERRED`;
      await outbox(tx).emit([refresh(3)]);
    });
    expect(await run('SELECT position::int FROM edict_outbox ORDER BY id')).toEqual([{ position: 1 }, { position: 2 }, { position: 3 }]); // prettier-ignore
  });

  it('accepts a transaction with more audiences than PostgreSQL has locks', async () => {
    await freshOutbox();
    await run(`INSERT INTO edict_outbox (audience, directives) SELECT 'user-' || n, '[]' FROM generate_series(1, 20000) AS n`); // prettier-ignore
    expect(await run('SELECT count(position)::int AS count FROM edict_outbox')).toEqual([{ count: 20_000 }]);
  });

  it('needs no right but INSERT to write, and ignores the lock_timeout of the writer at the commit', async () => {
    await freshOutbox();
    await run(`DO $$ BEGIN CREATE ROLE writer; EXCEPTION WHEN duplicate_object THEN END $$`);
    await run('GRANT INSERT ON edict_outbox TO writer');
    const own = connectedWith({ role: 'writer', lock_timeout: '50ms' });
    await own.begin(async (tx) => void (await outbox(tx).emit([refresh(1)])));
    expect(await run('SELECT position::int FROM edict_outbox')).toEqual([{ position: 1 }]);
  });

  it('is migrated again without waiting for transactions that write to it', async () => {
    await freshOutbox();
    const own = connectedWith({ lock_timeout: '5s' });
    await sql.begin(async (tx) => {
      await outbox(tx).emit([refresh(1)]);
      await migrate(own);
    });
    expect(await run('SELECT position::int FROM edict_outbox')).toEqual([{ position: 1 }]);
  });

  it('is upgraded from an earlier version, with its rows', async () => {
    await run('DROP TABLE IF EXISTS edict_outbox');
    await run(`CREATE TABLE edict_outbox (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, transaction xid8 NOT NULL DEFAULT pg_current_xact_id(), position bigint,
      audience text NOT NULL, directives text NOT NULL, created_at timestamptz NOT NULL DEFAULT now(), refusal text)`);
    await run('CREATE SEQUENCE edict_outbox_position OWNED BY edict_outbox.position');
    await run(`INSERT INTO edict_outbox (position, audience, directives) VALUES (nextval('edict_outbox_position'), 'global', '[{"op":"refresh_item","name":"ticket","id":1}]')`); // prettier-ignore
    await migrate(sql);
    await transaction(async (tx) => void (await outbox(tx).emit([refresh(2)])));
    const hub = listeningHub();
    await relayForTest(sql, hub).drain();
    expect(hub.ids()).toEqual([1, 2]);
  });

  it('is upgraded from version 1, with its trigger, indexes and rows', async () => {
    await freshOutbox();
    for (const name of ['uncommitted', 'order'])
      await run(`CREATE INDEX edict_outbox_${name} ON edict_outbox (id)`);
    await run('COMMENT ON TABLE edict_outbox IS NULL');
    await transaction(async (tx) => void (await outbox(tx).emit([refresh(1)])));
    await migrate(sql);
    await transaction(async (tx) => void (await outbox(tx).emit([refresh(2)])));
    const hub = listeningHub();
    await relayForTest(sql, hub).drain();
    expect(hub.ids()).toEqual([1, 2]);
    expect(await run(`SELECT to_regclass('edict_outbox_order') AS index`)).toEqual([{ index: null }]);
  });

  it.each([
    ['another one', 1],
    ['more audiences than one pass delivers', 150],
  ])('D-HUB-11 delivers an audience while the hub is slow to reject %s', async (_, audiences) => {
    await freshOutbox();
    const hub = listeningHub();
    const refuse: (() => void)[] = [];
    const failed = new Set<unknown>();
    hub.before = ([directive]) => {
      const { id, audience } = directive as { id: unknown; audience: unknown }; // Written by `emit` below.
      if (id !== 'slow') return undefined;
      // The first attempt is part of a pass that also delivers the others, and must not delay it.
      if (!failed.has(audience)) {
        failed.add(audience);
        throw new Error('not confirmed');
      }
      return new Promise((__, reject) => void refuse.push(() => reject(new Error('not confirmed'))));
    };
    const emit = (id: number | string, audience: string): Promise<unknown> =>
      transaction(async (tx) => void (await outbox(tx).emit([refresh(id)], { audience })));
    for (let at = 0; at < audiences; at += 1) await emit('slow', `slow-${at}`);
    relayForTest(sql, hub, 10);
    const quick = [1, 2, 3, 4, 5, 6];
    for (const id of quick) {
      await expect.poll(() => refuse.length).toBeGreaterThan(0); // The hub is working on another attempt.
      await emit(id, 'quick');
      await hub.has(id);
      for (const reject of refuse.splice(0)) reject();
    }
    hub.before = () => {};
    for (const reject of refuse) reject();
    await hub.has(quick.length + audiences);
    expect(hub.ids('quick')).toEqual(quick);
  });

  it('D-HUB-11 loses nothing when a process is killed after the commit, and only repeats known keys when it is killed after emit', async () => {
    await freshOutbox();
    const program = await compileProgram(fileURLToPath(new URL('./dyingWriter.ts', import.meta.url)));
    onTestFinished(program.remove);
    const keys: string[] = [];
    for (const moment of ['after commit', 'after emit']) {
      const child = spawn(process.execPath, [program.file, server.url, moment], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      let said = '';
      child.stdout.on('data', (data: Buffer) => (said += data.toString()));
      const signal = await new Promise((done) => child.once('exit', (_, by) => done(by)));
      expect(signal, moment).toBe('SIGKILL');
      keys.push(...said.split('\n').filter(Boolean));
    }
    const hub = listeningHub();
    // It polls until the database has noticed that the connections of the killed process and the lock of its relay are gone.
    relayForTest(sql, hub, 50);
    await hub.has(2);
    expect(hub.ids()).toEqual(['after commit', 'after emit']);
    expect(hub.keys()).toEqual([...new Set(keys)]);
    expect(keys).toHaveLength(3); // Each commit printed its key, and the emit before the kill printed its key again.
  });
});

/** Wraps postgres.js in the shape of a `Pool` of `pg`. */
function poolLikePg(sql: Sql): PgPool {
  return {
    query: async (text) => ({ rows: [...(await sql.unsafe(text))] }),
    async connect(): Promise<PgClient> {
      const reserved = await sql.reserve();
      let stop: () => unknown = () => {};
      let onNotify = (): void => {};
      return {
        async query(text, params = []) {
          const channel = /^LISTEN (.*)$/.exec(text)?.[1];
          if (channel === undefined) return { rows: [...(await reserved.unsafe(text, params))] };
          stop = (await sql.listen(channel, () => onNotify())).unlisten;
          return { rows: [] };
        },
        release() {
          reserved.release();
          stop();
        },
        on(event, listener) {
          if (event === 'notification') onNotify = listener;
        },
        off: () => {},
      };
    },
  };
}
