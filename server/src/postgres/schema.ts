// The table of the outbox, and what happens when a transaction that wrote to it commits.

import { isObject, membersOf, wrong } from '../optionErrors.ts';
import { runOf, type OutboxTransaction, type Run } from './executor.ts';

/** Where the outbox is. */
export interface OutboxPlace {
  /** Name of the table, with its schema where that is not on the search path: `edict_outbox` (the default) or `app.edict_outbox`. */
  table?: string | undefined;
}

/** The name under which everything of an outbox is found. */
export interface Names {
  /** As given, safe to stand in a statement. */
  readonly table: string;
  /** Without the schema. */
  readonly bare: string;
  /** Of `LISTEN` and `NOTIFY`. */
  readonly channel: string;
}

/** Checks the name of a table. Throws a `TypeError`. */
export function namesOf({ table = 'edict_outbox' }: OutboxPlace = {}): Names {
  if (typeof table !== 'string' || !/^([a-z_][a-z0-9_]*\.)?[a-z_][a-z0-9_]{0,50}$/.test(table)) {
    throw wrong(
      'outbox: table',
      'a name of lower-case letters, digits and _, at most 51 long, with a schema and a dot before it if need be',
      table,
    );
  }
  const bare = table.split('.').at(-1) ?? table;
  return { table, bare, channel: bare };
}

/**
 * The SQL that makes the outbox: one statement, which may be run again at any time; for migration tools. PostgreSQL 13 or newer.
 *
 * The numbers of `id` are given when a row is written, not when it commits. So each transaction gets its `position` from a
 * trigger that runs at its commit, under a lock for each audience that it writes to: the next transaction of that audience
 * gets the lock when this one is visible, so that positions are in the order of the commits. The locks are held for the
 * time of the commit alone, and taken in one order, so they neither make transactions wait for each other's work nor
 * deadlock with each other. (What else a transaction left to its commit, such as a deferred foreign key, may wait for one that waits for them:
 * PostgreSQL then ends one of the two, as with any deadlock.)
 */
export function outboxSql(place: OutboxPlace = {}): string {
  membersOf(place, ['table'], 'outboxSql');
  const { table, bare, channel } = namesOf(place);
  return `DO $edict$
BEGIN
  -- Nodes that start together make it once.
  PERFORM pg_advisory_xact_lock(hashtext('${table} migration'), 0);
  IF to_regclass('${table}') IS NULL THEN
    CREATE TABLE ${table} (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      transaction xid8 NOT NULL DEFAULT pg_current_xact_id(),
      position bigint,
      audience text NOT NULL,
      directives text NOT NULL, -- JSON; the types for that refuse U+0000 in strings
      created_at timestamptz NOT NULL DEFAULT now(),
      refusal text
    );
    CREATE SEQUENCE ${table}_position OWNED BY ${table}.position;
    CREATE INDEX ${bare}_uncommitted ON ${table} (transaction) WHERE position IS NULL;
    CREATE INDEX ${bare}_order ON ${table} (position NULLS FIRST, id) WHERE refusal IS NULL;
    CREATE OR REPLACE FUNCTION ${table}_commit() RETURNS trigger LANGUAGE plpgsql AS $commit$
    DECLARE
      place bigint;
    BEGIN
      -- The first row of the transaction does it for all.
      IF NOT EXISTS (SELECT FROM ${table} WHERE transaction = pg_current_xact_id() AND position IS NULL) THEN
        RETURN NULL;
      END IF;
      PERFORM pg_advisory_xact_lock(hashtext('${table}'), lock)
        FROM (
          SELECT DISTINCT hashtext(audience) AS lock FROM ${table}
          WHERE transaction = pg_current_xact_id() AND position IS NULL ORDER BY lock
        ) AS locks;
      place := nextval('${table}_position');
      UPDATE ${table} SET position = place WHERE transaction = pg_current_xact_id() AND position IS NULL;
      PERFORM pg_notify('${channel}', '');
      RETURN NULL;
    END
    $commit$;
    -- Whoever commits may have another search path, on which the names are those of another outbox.
    EXECUTE format(
      'ALTER FUNCTION ${table}_commit() SET search_path = pg_catalog, %s, pg_temp',
      (SELECT relnamespace::regnamespace FROM pg_class WHERE oid = '${table}'::regclass)
    );
    CREATE CONSTRAINT TRIGGER ${bare}_commit AFTER INSERT ON ${table}
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ${table}_commit();
  END IF;
END
$edict$`;
}

/** PostgreSQL's code for a table that is not there. */
const undefinedTable = '42P01';

/** Drizzle puts the database's own error into the `cause` of another. */
function isUndefinedTable(error: unknown): boolean {
  if (!isObject(error)) return false;
  return (
    ('code' in error && error.code === undefinedTable) || ('cause' in error && isUndefinedTable(error.cause))
  );
}

/** Runs statements on the outbox; where there is none, their error says how to make it. */
export function onOutbox(run: Run, { table }: Names): Run {
  return async (sql, params) => {
    try {
      return await run(sql, params);
    } catch (error) {
      if (!isUndefinedTable(error)) throw error;
      const place = table === namesOf().table ? '' : `, { table: '${table}' }`;
      throw new Error(
        `The outbox has no table ${table} in this database: call migrate(db${place}) when the process starts, or run the SQL of outboxSql with your migrations.`,
        { cause: error },
      );
    }
  };
}

/** Makes the outbox where it is missing. `db` is a database or a transaction of `pg`, PGlite, postgres.js or Drizzle. */
export async function migrate(db: OutboxTransaction, place?: OutboxPlace): Promise<void> {
  await runOf(db, 'migrate')(outboxSql(place));
}
