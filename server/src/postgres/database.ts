// What the relay needs of a database: a transaction, and to hear of commits.

import { shown } from '../optionErrors.ts';
import { has, runOf, type PostgresJsTransaction, type QueryTransaction, type Run } from './executor.ts';

/** A database that a relay can use, if it is none of those that are known. */
export interface RelayDatabase {
  /** Runs `work` in one transaction and commits; rolls back when it rejects. `run` belongs to that transaction. */
  inTransaction(work: (run: Run) => Promise<void>): PromiseLike<unknown>;
  /**
   * Calls back on every `NOTIFY` of the channel, also after its connection was lost and made again. Resolves to what ends it.
   * Without it the relay only looks every `pollMs`.
   */
  listen?(channel: string, onNotify: () => void): Promise<() => unknown>;
}

/** A database as the relay uses it. */
export interface Database extends Pick<RelayDatabase, 'inTransaction'> {
  /** `onLost`: it does not come back by itself, and is to be asked again. */
  listen?(channel: string, onNotify: () => void, onLost: () => void): Promise<() => unknown>;
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
  /** Calls back no more. */
  off(event: 'error', listener: () => void): unknown;
}

/** A `Pool` of `pg`, of two clients or more. */
export interface PgPool {
  /** What it was made with. */
  readonly options?:
    | {
        /** How many clients it has at most. */
        readonly max?: number | undefined;
      }
    | undefined;
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
export function databaseOf(db: unknown): Database {
  if (typeof db === 'object' && db !== null && '$client' in db) return databaseOf(db.$client);
  if (has(db, 'begin') && has(db, 'unsafe')) return ofPostgresJs(db as unknown as PostgresJsDatabase); // It has its methods.
  if (has(db, 'transaction') && has(db, 'query')) return ofPGlite(db as unknown as PGliteDatabase); // It has its methods.
  if (has(db, 'connect') && has(db, 'query') && !isPgClient(db)) return ofPgPool(db as unknown as PgPool); // It has its methods.
  if (has(db, 'inTransaction')) return db as unknown as RelayDatabase; // What is left is an adapter.
  throw new TypeError(
    'createRelay: db must be a postgres.js client, a PGlite, a pg Pool, a Drizzle database over one of them, or { inTransaction, listen? }, not ' +
      `${shown(db)}.`,
  );
}

/** It looks like a pool, but is one connection, and its `connect` lends nothing. */
const isPgClient = (db: unknown): boolean => has(db, 'escapeLiteral');

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

function ofPgPool(pool: PgPool): Database {
  const max = pool.options?.max;
  if (max !== undefined && max < 2)
    throw new TypeError(
      `createRelay: db must be a pool of at least two clients, one that listens and one that delivers, not of max: ${max}.`,
    );
  return {
    async inTransaction(work) {
      const client = await pool.connect();
      // The pool does not hear a client that it lends, and an error that nobody hears ends the process. What runs next rejects.
      const hear = (): void => {};
      client.on('error', hear);
      const giveBack = (isBroken: boolean): void => {
        client.off('error', hear);
        client.release(isBroken);
      };
      try {
        await client.query('BEGIN');
        await work(runOf(client, 'createRelay'));
        await client.query('COMMIT');
      } catch (error) {
        const isRolledBack = await client.query('ROLLBACK').then(
          () => true,
          () => false,
        );
        giveBack(!isRolledBack); // One that cannot even roll back is thrown away.
        throw error;
      }
      giveBack(false);
    },
    async listen(channel, onNotify, onLost) {
      const client = await pool.connect();
      let isOver = false;
      const end = (): void => {
        if (isOver) return;
        isOver = true;
        client.release(true); // Not lent again: it listens.
      };
      const lose = (): void => {
        if (isOver) return;
        end();
        onLost();
      };
      client.on('notification', onNotify);
      client.on('error', lose);
      client.on('end', lose);
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
