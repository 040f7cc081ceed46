/**
 * Directives in the application's own transaction, and the relay that takes them to the hub. For `pg`, postgres.js, PGlite and Drizzle ORM,
 * none of which it needs.
 *
 * @module @edict/server/postgres
 */

export { outbox } from './outbox.ts';
export type { Outbox, OutboxOptions } from './outbox.ts';
export { createRelay } from './relay.ts';
export type { Relay, RelayOptions } from './relay.ts';
export { migrate, outboxSql } from './schema.ts';
export type { OutboxPlace } from './schema.ts';
export type {
  DrizzleTransaction,
  Executor,
  OutboxTransaction,
  PostgresJsTransaction,
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
