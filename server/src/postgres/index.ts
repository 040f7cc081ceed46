/**
 * Directives that are written in the application's own transaction, by the application or by triggers, and the relay that delivers them to a hub.
 * Works with `pg`, postgres.js, PGlite, Drizzle, Kysely and Prisma, and depends on none of them.
 *
 * @module @edict/server/postgres
 */

export { outbox } from './outbox.ts';
export type { Outbox, OutboxOptions } from './outbox.ts';
export { createRelay } from './relay.ts';
export type { Relay, RelayOptions } from './relay.ts';
export { migrate, outboxSql } from './schema.ts';
export type { OutboxPlace } from './schema.ts';
export { setClientId } from './clientId.ts';
export { migrationSql, watchTable } from './watchTable.ts';
export type { TableWatch } from './watchTable.ts';
export type { NamedDefinition, RowValue, WatchCollectionOptions, WatchTableOptions } from './watchOptions.ts';
export type {
  DrizzleTransaction,
  Executor,
  KyselyTransaction,
  OutboxTransaction,
  PostgresJsTransaction,
  PrismaTransaction,
  QueryTransaction,
  Row,
  Run,
} from './executor.ts';
export type {
  DrizzleDatabase,
  PgClient,
  PGliteDatabase,
  PgPool,
  PostgresJsDatabase,
  RelayDatabase,
  RelaySource,
} from './database.ts';
