// Triggers on a table of the application that write directives to the outbox.

import { wrong } from '../optionErrors.ts';
import { runOf, type OutboxTransaction } from './executor.ts';
import { readWatch } from './readWatch.ts';
import { outboxSql, type OutboxPlace } from './schema.ts';
import { installSql, removeSql } from './triggerSql.ts';
import type { WatchTableOptions } from './watchOptions.ts';

/** A watched table. Nothing is installed until `install` or until its `sql` runs. */
export interface TableWatch {
  /** The SQL that `install` runs: one statement, which may run again at any time. Print it for a dry run. */
  readonly sql: string;
  /** The SQL that `remove` runs. */
  readonly removeSql: string;
  /**
   * Installs the triggers in the database, or replaces those of earlier options. Does nothing, and locks nothing, if they are up to date. Run
   * it after `migrate` when the process starts. Rejects with an error that names the table and the column or option that is wrong.
   */
  install(db: OutboxTransaction): Promise<void>;
  /** Removes the triggers. Does nothing if there are none. */
  remove(db: OutboxTransaction): Promise<void>;
}

/**
 * Describes triggers that write directives to the outbox in the transaction that changes the table, whichever program changes it.
 *
 * Inserts and updates send `refresh_item`. Deletes send `refresh_item` with the result null, which means that the item is gone. All of
 * them refresh the `collections`. Each statement writes one row to the outbox per audience. A trigger never makes a statement of
 * the application fail: the relay logs what a trigger could not write.
 *
 * ```ts
 * import { createHub } from '@edict/server';
 * import { createRelay, migrate, watchTable } from '@edict/server/postgres';
 * import { Pool } from 'pg';
 *
 * const tickets = watchTable({
 *   table: 'ticket',
 *   type: 'ticket',
 *   id: 'id',
 *   collections: [{ name: 'tickets', params: { status: 'status' } }],
 *   audience: { sql: "'team-' || team_id" },
 *   columns: ['title', 'status'],
 * });
 *
 * export async function start(db: Pool) {
 *   await migrate(db);
 *   await tickets.install(db);
 *   return createRelay({ db, hub: createHub() });
 * }
 * ```
 */
export function watchTable(options: WatchTableOptions): TableWatch {
  const watch = readWatch(options);
  const sql = installSql(watch);
  const removal = removeSql(watch);
  return {
    sql,
    removeSql: removal,
    async install(db) {
      await runOf(db, 'watchTable(…).install')(sql);
    },
    async remove(db) {
      await runOf(db, 'watchTable(…).remove')(removal);
    },
  };
}

/**
 * Returns a migration that creates the outbox and installs watches: plain SQL, in which comments separate the statements as Drizzle's
 * migration files require (`drizzle-kit generate --custom`). `table` is the outbox.
 */
export function migrationSql(watches: readonly TableWatch[], place: OutboxPlace = {}): string {
  if (!Array.isArray(watches))
    throw wrong('migrationSql: watches', 'a list of what watchTable returns', watches);
  for (const [index, watch] of watches.entries())
    if (typeof (watch as Partial<TableWatch> | null)?.sql !== 'string')
      throw wrong(`migrationSql: watches[${index}]`, 'what watchTable returns', watch);
  return [outboxSql(place), ...watches.map(({ sql }) => sql)]
    .map((statement) => `${statement};\n`)
    .join('--> statement-breakpoint\n');
}
