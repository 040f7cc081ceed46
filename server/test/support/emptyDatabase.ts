// A PostgreSQL in this process. It takes seconds to make one, so the tests of a file share it.

import { PGlite } from '@electric-sql/pglite';
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
