// The database functions that the relay needs: transactions and notifications.

import { shown } from '../optionErrors.ts';
import { has, runOf, type PostgresJsTransaction, type QueryTransaction, type Run } from './executor.ts';

/** An adapter for a database library that `createRelay` does not know. */
export interface RelayDatabase {
  /** Runs `work` in one transaction and commits. Rolls back if `work` rejects. `run` runs statements of that transaction. */
  inTransaction(work: (run: Run) => Promise<void>): PromiseLike<unknown>;
  /**
   * Calls back on every `NOTIFY` of the channel. Reconnects by itself. Resolves to a function that stops it.
   * Without `listen`, the relay only checks for rows every `pollMs`.
   */
  listen?(channel: string, onNotify: () => void): Promise<() => unknown>;
}

/** A database as the relay uses it. */
export interface Database extends Pick<RelayDatabase, 'inTransaction'> {
  /** Calls `onLost` if it does not reconnect by itself. The relay then calls `listen` again. */
  listen?(channel: string, onNotify: () => void, onLost: () => void): Promise<() => unknown>;
}

/** A client of postgres.js. */
export interface PostgresJsDatabase {
  /** Runs the work in a transaction. */
  begin(work: (tx: PostgresJsTransaction) => Promise<void>): PromiseLike<unknown>;
  /** Runs a statement that is a string. */
  unsafe(sql: string): PromiseLike<unknown>;
  /** Calls back on every `NOTIFY` of the channel. */
  listen(
    channel: string,
    onNotify: () => void,
  ): PromiseLike<{
    /** Stops it. */
    unlisten(): unknown;
  }>;
}

/** A PGlite. */
export interface PGliteDatabase {
  /** Runs the work in a transaction. */
  transaction(work: (tx: QueryTransaction) => Promise<void>): Promise<unknown>;
  /** Runs a statement. */
  query(sql: string): Promise<unknown>;
  /** Calls back on every `NOTIFY` of the channel. Resolves to a function that stops it. */
  listen(channel: string, onNotify: () => void): Promise<() => unknown>;
}

/** A client of a pool of `pg`. */
export interface PgClient {
  /** Runs a statement. */
  query(sql: string, params?: string[]): Promise<unknown>;
  /** Returns the client to the pool. With true, the pool closes it. */
  release(error?: boolean): void;
  /** Calls back on events of the connection. */
  on(event: 'notification' | 'error' | 'end', listener: () => void): unknown;
  /** Removes a listener. */
  off(event: 'error', listener: () => void): unknown;
}

/** A `Pool` of `pg` with at least two clients. */
export interface PgPool {
  /** The options of the pool. */
  readonly options?:
    | {
        /** The maximum number of clients. */
        readonly max?: number | undefined;
      }
    | undefined;
  /** Resolves to a client. */
  connect(): Promise<PgClient>;
  /** Runs a statement. */
  query(sql: string): Promise<unknown>;
}

/** A Drizzle ORM database on top of one of the other databases. */
export interface DrizzleDatabase {
  /** The client that Drizzle uses. */
  $client: PostgresJsDatabase | PGliteDatabase | PgPool;
}

/** Values that `createRelay` accepts as `db`. */
export type RelaySource = RelayDatabase | PostgresJsDatabase | PGliteDatabase | PgPool | DrizzleDatabase;

/** Returns an adapter for a database of a known library. Throws a `TypeError` for anything else. */
export function databaseOf(db: unknown): Database {
  if (typeof db === 'object' && db !== null && '$client' in db) return databaseOf(db.$client);
  if (has(db, 'begin') && has(db, 'unsafe')) return ofPostgresJs(db as unknown as PostgresJsDatabase); // It has its methods.
  if (has(db, 'transaction') && has(db, 'query')) return ofPGlite(db as unknown as PGliteDatabase); // It has its methods.
  if (has(db, 'connect') && has(db, 'query') && !isPgClient(db)) return ofPgPool(db as unknown as PgPool); // It has its methods.
  if (has(db, 'inTransaction')) return db as unknown as RelayDatabase; // What is left is an adapter.
  throw new TypeError(
    '[edict] createRelay: db must be a postgres.js client, a PGlite, a pg Pool, a Drizzle database over one of them, or { inTransaction, listen? }, not ' +
      `${shown(db)}.`,
  );
}

/** A `Client` of `pg` looks like a pool but is a single connection, and its `connect` resolves to nothing. */
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
      `[edict] createRelay: db must be a pool of at least two clients, one that listens and one that delivers, not of max: ${max}.`,
    );
  return {
    async inTransaction(work) {
      const client = await pool.connect();
      // An `error` event without a listener would end the process, and the pool listens only to idle clients. The
      // error itself appears when the next statement rejects.
      const ignore = (): void => {};
      client.on('error', ignore);
      const giveBack = (isBroken: boolean): void => {
        client.off('error', ignore);
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
        giveBack(!isRolledBack); // A client that cannot even roll back is closed.
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
        client.release(true); // Closed, because it listens.
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
        end(); // The relay tries again with another client.
        throw error;
      }
      return end;
    },
  };
}
