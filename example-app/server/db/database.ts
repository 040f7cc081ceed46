// Opens the database: a PostgreSQL server when `DATABASE_URL` is given, else PGlite inside this process.

import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate as migrateOutbox, type RelaySource } from '@edict/server/postgres';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { lockFolder } from './folderLock.ts';
import * as schema from './schema.ts';
import { seed } from './seed.ts';
import { watches } from './watches.ts';

/** Either database, behind the one schema. */
export type Db = PgDatabase<PgQueryResultHKT, typeof schema>;

export interface Database {
  db: Db;
  /** For the relay of the outbox, which listens for commits. */
  source: RelaySource;
  /** Where the data is, for the log. */
  where: string;
  close: () => Promise<void>;
}

const migrationsFolder = fileURLToPath(new URL('../../drizzle', import.meta.url));

/** A number that other programs on the same database are unlikely to lock. */
const setUpLock = 4_215_001;

/** Opens the database, migrates it, seeds an empty one, and installs the watches. */
export async function openDatabase(options: {
  /** The URL of a PostgreSQL server. */
  url?: string | undefined;
  /** The folder of PGlite. Without a folder, the data is in memory. */
  folder?: string | undefined;
  tickets?: number | undefined;
}): Promise<Database> {
  return options.url === undefined
    ? await openEmbedded(options.folder, options.tickets)
    : await openServer(options.url, options.tickets);
}

async function openEmbedded(folder: string | undefined, tickets: number | undefined): Promise<Database> {
  const [{ PGlite }, { drizzle }, { migrate }] = await Promise.all([
    import('@electric-sql/pglite'),
    import('drizzle-orm/pglite'),
    import('drizzle-orm/pglite/migrator'),
  ]);
  if (folder !== undefined) mkdirSync(dirname(folder), { recursive: true });
  const unlock = folder === undefined ? () => {} : lockFolder(folder);
  const client = await PGlite.create(folder === undefined ? {} : { dataDir: folder });
  const db = drizzle(client, { schema });
  await migrate(db, { migrationsFolder });
  await migrateOutbox(client);
  await db.transaction((tx) => seed(tx, tickets));
  for (const watch of watches) await watch.install(client);
  return {
    db,
    source: client,
    where: folder ?? 'memory',
    close: async () => {
      await client.close();
      unlock();
    },
  };
}

async function openServer(url: string, tickets: number | undefined): Promise<Database> {
  const [{ default: postgres }, { drizzle }, { migrate }] = await Promise.all([
    import('postgres'),
    import('drizzle-orm/postgres-js'),
    import('drizzle-orm/postgres-js/migrator'),
  ]);
  const client = postgres(url, { max: 10, onnotice: () => {} });
  const db = drizzle(client, { schema });
  // If several servers start together, one of them sets up. A session lock needs a connection of its own.
  const setUp = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await setUp`select pg_advisory_lock(${setUpLock})`;
    await migrate(drizzle(setUp, { schema }), { migrationsFolder });
    await migrateOutbox(setUp);
    await drizzle(setUp, { schema }).transaction((tx) => seed(tx, tickets));
    for (const watch of watches) await watch.install(setUp);
  } finally {
    await setUp.end();
  }
  return {
    db,
    source: client,
    where: new URL(url).host,
    close: async () => {
      await client.end({ timeout: 2 });
    },
  };
}
