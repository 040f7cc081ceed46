// What the relay needs of a database: a transaction, and to hear of commits.

import { shown } from '../shown.ts';
import { has, runOf, type PostgresJsTransaction, type QueryTransaction, type Run } from './executor.ts';

/** A database that a relay can use, if it is none of those that are known. */
export interface RelayDatabase {
  /** Runs `work` in one transaction and commits; rolls back when it rejects. `run` belongs to that transaction. */
  inTransaction(work: (run: Run) => Promise<void>): PromiseLike<unknown>;
  /** Calls back on every `NOTIFY` of the channel. Resolves to what ends it. Without it the relay only looks every `pollMs`. */
  listen?(channel: string, onNotify: () => void): Promise<() => unknown>;
}

/** A client of postgres.js. */
export interface PostgresJsDatabase {
  /** Runs the work in a transaction. */
  begin(work: (tx: PostgresJsTransaction) => Promise<void>): PromiseLike<unknown>;
  /** Runs a statement that is text. */
  unsafe(sql: string): PromiseLike<unknown>;
  /** Calls back on every `NOTIFY` of the channel. */
  listen(
    channel: string,
    onNotify: () => void,
  ): PromiseLike<{
    /** Ends it. */
    unlisten(): unknown;
  }>;
}

/** A PGlite. */
export interface PGliteDatabase {
  /** Runs the work in a transaction. */
  transaction(work: (tx: QueryTransaction) => Promise<void>): Promise<unknown>;
  /** Runs a statement. */
  query(sql: string): Promise<unknown>;
  /** Calls back on every `NOTIFY` of the channel. Resolves to what ends it. */
  listen(channel: string, onNotify: () => void): Promise<() => unknown>;
}

/** A client that a pool of `pg` lends. */
export interface PgClient {
  /** Runs a statement. */
  query(sql: string, params?: string[]): Promise<unknown>;
  /** Gives it back; with true it is thrown away. */
  release(error?: boolean): void;
  /** Calls back on what happens to the connection. */
  on(event: 'notification' | 'error' | 'end', listener: () => void): unknown;
}

/** A `Pool` of `pg`. */
export interface PgPool {
  /** Lends a client. */
  connect(): Promise<PgClient>;
  /** Runs a statement. */
  query(sql: string): Promise<unknown>;
}

/** A database of Drizzle ORM over one of the others. */
export interface DrizzleDatabase {
  /** The client below it. */
  $client: PostgresJsDatabase | PGliteDatabase | PgPool;
}

/** What `createRelay` takes as `db`. */
export type RelaySource = RelayDatabase | PostgresJsDatabase | PGliteDatabase | PgPool | DrizzleDatabase;

/** Finds out how a database is used. Throws a `TypeError` when it does not look like any. */
export function databaseOf(db: unknown): RelayDatabase {
  if (typeof db === 'object' && db !== null && '$client' in db) return databaseOf(db.$client);
  if (has(db, 'begin') && has(db, 'unsafe')) return ofPostgresJs(db as unknown as PostgresJsDatabase); // It has its methods.
  if (has(db, 'transaction') && has(db, 'query')) return ofPGlite(db as unknown as PGliteDatabase); // It has its methods.
  if (has(db, 'connect') && has(db, 'query')) return ofPgPool(db as unknown as PgPool); // It has its methods.
  if (has(db, 'inTransaction')) return db as unknown as RelayDatabase; // What is left is an adapter.
  throw new TypeError(
    'createRelay: db must be a postgres.js client, a PGlite, a pg Pool, a Drizzle database over one of them, or { inTransaction, listen? }, not ' +
      `${shown(db)}.`,
  );
}

function ofPostgresJs(sql: PostgresJsDatabase): RelayDatabase {
  return {
    inTransaction: (work) => sql.begin((tx) => work(runOf(tx, 'createRelay'))),
    async listen(channel, onNotify) {
      const { unlisten } = await sql.listen(channel, onNotify);
      return unlisten;
    },
  };
}

function ofPGlite(db: PGliteDatabase): RelayDatabase {
  return {
    inTransaction: (work) => db.transaction((tx) => work(runOf(tx, 'createRelay'))),
    listen: (channel, onNotify) => db.listen(channel, onNotify),
  };
}

function ofPgPool(pool: PgPool): RelayDatabase {
  return {
    async inTransaction(work) {
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        await work(runOf(client, 'createRelay'));
        await client.query('COMMIT');
        client.release();
      } catch (error) {
        const isRolledBack = await client.query('ROLLBACK').then(
          () => true,
          () => false,
        );
        client.release(!isRolledBack); // One that cannot even roll back is thrown away.
        throw error;
      }
    },
    async listen(channel, onNotify) {
      const client = await pool.connect();
      let isOver = false;
      const end = (): void => {
        if (!isOver) client.release(true); // Not lent again: it listens.
        isOver = true;
      };
      client.on('notification', onNotify);
      client.on('error', end); // From here on the relay looks every `pollMs` only.
      try {
        await client.query(`LISTEN ${channel}`);
      } catch (error) {
        end(); // The relay tries again, with another client.
        throw error;
      }
      return end;
    },
  };
}
