// A PostgreSQL in this process. Creating it takes seconds, so the tests of a file share it.

import { PGlite } from '@electric-sql/pglite';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import { afterAll } from 'vitest';

let shared: Promise<PGlite> | null = null;

afterAll(async () => {
  await (await shared)?.close();
  shared = null;
});

/** Returns the database of this file without tables, functions and listeners. Earlier contents are lost. */
export async function emptyDatabase(): Promise<PGlite> {
  shared ??= PGlite.create();
  const db = await shared;
  await db.exec(
    'UNLISTEN *; DROP SCHEMA IF EXISTS drizzle CASCADE; DROP SCHEMA public CASCADE; CREATE SCHEMA public;',
  );
  return db;
}

/** The one connection of PGlite as a pool of `pg`. */
export function poolOf(db: PGlite): PostgresPool {
  const client = {
    async query<Row>(sql: string, params: readonly unknown[] = []) {
      const { rows, affectedRows = 0 } = await db.query<Row>(sql, [...params]);
      return { command: 'SELECT' as const, rowCount: affectedRows, rows };
    },
    release: () => {},
  };
  // The other form of `query` creates a cursor, which no test needs.
  return { connect: async () => client as PostgresPoolClient, end: async () => {} };
}
