// The outbox table, and the actions when a transaction that wrote to it commits.

import { membersOf, wrong } from '../optionErrors.ts';
import { databaseError, isUndefinedTable } from './databaseError.ts';
import { runOf, type OutboxTransaction, type Run } from './executor.ts';

/** Where the outbox is. */
export interface OutboxPlace {
  /** Name of the table, with its schema if that is not on the search path: `edict_outbox` (the default) or `app.edict_outbox`. */
  table?: string | undefined;
}

/** Names of the parts of an outbox. */
export interface Names {
  /** The name as it was passed. It is safe inside a statement. */
  readonly table: string;
  /** Without the schema. */
  readonly bare: string;
  /** The channel of `LISTEN` and `NOTIFY`. */
  readonly channel: string;
}

/** Checks the name of a table. Throws a `TypeError`. */
export function namesOf({ table = 'edict_outbox' }: OutboxPlace = {}): Names {
  if (typeof table !== 'string' || !/^([a-z_][a-z0-9_]*\.)?[a-z_][a-z0-9_]{0,50}$/.test(table)) {
    throw wrong(
      'outbox: table',
      'a name of at most 51 lower-case letters, digits and _, optionally after a schema and a dot',
      table,
    );
  }
  const bare = table.split('.').at(-1) ?? table;
  return { table, bare, channel: bare };
}

/** Marks the outboxes that this version made. `outboxSql` does nothing to them. */
const version = 'Edict outbox, version 2';

/**
 * Returns the SQL that creates the outbox, or upgrades one of an earlier version: one statement for migration tools, which may run
 * again at any time. Needs PostgreSQL 13 or newer and no superuser.
 *
 * PostgreSQL assigns the `id` of a row when the row is written, not when its transaction commits. So a trigger assigns the
 * `position` of all rows of a transaction when it commits. The trigger first locks the audiences of these rows, which makes the
 * positions of an audience follow the order of the commits. The locks last for the commit only and are taken in one order, so transactions
 * neither wait for each other's work nor deadlock with each other. Other checks that run at the commit, such as a deferred foreign key, can wait
 * for a transaction that waits for these locks. PostgreSQL then ends one of the two transactions with a deadlock error.
 */
export function outboxSql(place: OutboxPlace = {}): string {
  membersOf(place, ['table'], 'outboxSql');
  const { table, bare, channel } = namesOf(place);
  return `DO $edict$
BEGIN
  -- Processes that start at the same time create it once.
  PERFORM pg_advisory_xact_lock(hashtext('${table} migration'), 0);
  IF obj_description(to_regclass('${table}'), 'pg_class') = '${version}' THEN
    RETURN;
  END IF;
  CREATE TABLE IF NOT EXISTS ${table} (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    transaction xid8 NOT NULL DEFAULT pg_current_xact_id(),
    position bigint,
    audience text NOT NULL,
    directives text NOT NULL, -- JSON; the types for that refuse U+0000 in strings
    created_at timestamptz NOT NULL DEFAULT now(),
    refusal text
  );
  CREATE SEQUENCE IF NOT EXISTS ${table}_position OWNED BY ${table}.position;
  IF to_regclass('${table}_order') IS NOT NULL THEN -- Version 1.
    DROP INDEX ${table}_uncommitted, ${table}_order;
  END IF;
  CREATE INDEX IF NOT EXISTS ${bare}_transaction ON ${table} (transaction, id) WHERE position IS NULL;
  CREATE INDEX IF NOT EXISTS ${bare}_audience ON ${table} (audience, position NULLS FIRST, id) WHERE refusal IS NULL;
  CREATE OR REPLACE FUNCTION ${table}_commit() RETURNS trigger LANGUAGE plpgsql AS $commit$
  DECLARE
    place bigint;
  BEGIN
    -- A row that is written after this needs another run, such as one that another deferred trigger writes.
    PERFORM set_config('edict.outbox_' || TG_RELID, '', true);
    -- Audiences share 256 locks, because PostgreSQL has a limited number of locks.
    PERFORM pg_advisory_xact_lock(hashtext('${table}'), lock)
      FROM (
        SELECT DISTINCT hashtext(audience) & 255 AS lock FROM ${table}
        WHERE transaction = pg_current_xact_id() AND id >= NEW.id AND position IS NULL ORDER BY lock
      ) AS locks;
    place := nextval('${table}_position');
    UPDATE ${table} SET position = place WHERE transaction = pg_current_xact_id() AND id >= NEW.id AND position IS NULL;
    PERFORM pg_notify('${channel}', '');
    RETURN NULL;
  END
  $commit$;
  -- The function runs with the rights of its owner, so a writer needs only INSERT. The search path of a writer may contain an outbox of the
  -- same name in another schema. A lock_timeout of the application is meant for its own statements.
  EXECUTE format(
    'ALTER FUNCTION ${table}_commit() SECURITY DEFINER SET search_path = pg_catalog, %s, pg_temp SET lock_timeout = 0',
    (SELECT relnamespace::regnamespace FROM pg_class WHERE oid = '${table}'::regclass)
  );
  IF EXISTS (SELECT FROM pg_trigger WHERE tgrelid = '${table}'::regclass AND tgname = '${bare}_commit') THEN
    DROP TRIGGER ${bare}_commit ON ${table};
  END IF;
  CREATE CONSTRAINT TRIGGER ${bare}_commit AFTER INSERT ON ${table}
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    -- True for the first row of a transaction, for which the trigger handles all of its rows. Rolling back to a savepoint resets the setting.
    WHEN (CASE current_setting('edict.outbox_' || NEW.tableoid, true) WHEN pg_current_xact_id()::text THEN false
      ELSE set_config('edict.outbox_' || NEW.tableoid, pg_current_xact_id()::text, true) IS NOT NULL END)
    EXECUTE FUNCTION ${table}_commit();
  COMMENT ON TABLE ${table} IS '${version}';
END
$edict$`;
}

/**
 * Runs statements on the outbox. If it does not exist, the error explains how to create it. Other database errors
 * keep their message and `code`. Everything that could contain a payload is removed.
 */
export function onOutbox(run: Run, { table }: Names): Run {
  return async (sql, params) => {
    try {
      return await run(sql, params);
    } catch (error) {
      const cause = databaseError(error);
      if (!isUndefinedTable(error)) throw cause;
      const place = table === namesOf().table ? '' : `, { table: '${table}' }`;
      throw new Error(
        `[edict] The outbox has no table ${table} in this database. Call migrate(db${place}) when the process starts, or run the SQL of outboxSql with your migrations.`,
        { cause },
      );
    }
  };
}

/**
 * Creates the outbox, or upgrades one of an earlier version. Does nothing to an outbox of this version. `db` is a database or a transaction of
 * `pg`, PGlite, postgres.js, Drizzle, Kysely or Prisma.
 */
export async function migrate(db: OutboxTransaction, place?: OutboxPlace): Promise<void> {
  await runOf(db, 'migrate')(outboxSql(place));
}
