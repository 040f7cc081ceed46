// The SQL that installs and removes the triggers of a watched table.

import { createHash } from 'node:crypto';
import { identifier, literal } from './sqlText.ts';
import { triggerBody } from './triggerBody.ts';

/** A collection of a watch. */
export interface WatchedCollection {
  /** SQL. */
  readonly name: string;
  /** SQL of the params, or null for every list of the collection. */
  readonly params: readonly { key: string; value: string }[] | null;
  readonly mode: 'contains' | 'exact';
}

/** A checked watch. All values are SQL. */
export interface Watch {
  /** `alias` is the name without the schema, by which expressions may name the row. */
  readonly table: { text: string; sql: string; alias: string };
  readonly outbox: string;
  readonly name: string;
  readonly type: string;
  readonly id: string;
  readonly audiences: readonly string[];
  /** Audiences that are names, by the option that contains them. */
  readonly audienceNames: readonly { option: string; name: string }[];
  readonly collections: readonly WatchedCollection[];
  /** Null: every update matters. */
  readonly columns: readonly string[] | null;
  readonly removes: boolean;
  readonly maxItems: number;
  /** Columns and expressions, by the option that contains them. */
  readonly used: readonly { option: string; column: string | null; sql: string }[];
}

const triggers = [
  { when: 'AFTER INSERT', suffix: 'insert', tables: 'REFERENCING NEW TABLE AS edict_new' },
  {
    when: 'AFTER UPDATE',
    suffix: 'update',
    tables: 'REFERENCING OLD TABLE AS edict_old NEW TABLE AS edict_new',
  },
  { when: 'AFTER DELETE', suffix: 'delete', tables: 'REFERENCING OLD TABLE AS edict_old' },
  { when: 'BEFORE TRUNCATE', suffix: 'truncate', tables: '' },
];

const triggerName = ({ name }: Watch, suffix: string): string => `edict_watch_${name}_${suffix}`;

const triggerNames = (watch: Watch): string =>
  triggers.map(({ suffix }) => literal(triggerName(watch, suffix))).join(', ');

/** The table and its partitions. A statement that names a partition fires only the triggers of the partition. */
const relations = `SELECT edict_table AS oid UNION ALL SELECT inhrelid FROM pg_inherits JOIN edict_relations ON inhparent = edict_relations.oid`;

/** Raises an error that names the table. `condition` finds it, `message` may use `%` for `values`. */
const raise = (watch: Watch, message: string, values = ''): string =>
  `RAISE EXCEPTION USING ERRCODE = 'ED001', MESSAGE = format(${literal(`[edict] watchTable: table "${watch.table.text.replaceAll('%', '%%')}": ${message}`)}${values});`;

/** The name of the function contains the name of the table, because the function is in the schema of the table. */
const functionName = ({ table, name }: Watch): string => {
  const bare = table.text.split('.').at(-1) ?? '';
  const readable = `edict_watch_${bare}_${name}`;
  if (Buffer.byteLength(readable) <= 60) return readable;
  return `${readable.slice(0, 24)}_${createHash('sha256').update(readable).digest('hex').slice(0, 16)}`;
};

/** The search path of the trigger. */
const searchPath = `'pg_catalog, ' || edict_schema || ', pg_temp'`;

/** The statement that checks the table and installs the triggers. */
export function installSql(watch: Watch): string {
  const body = triggerBody(watch);
  const hash = createHash('sha256')
    .update(JSON.stringify([body, triggers, watch.name]))
    .digest('hex')
    .slice(0, 32);
  return `DO $edict_install$
DECLARE
  edict_table oid := to_regclass(${literal(watch.table.sql)});
  edict_outbox text := (SELECT format('%I.%I', nspname, relname) FROM pg_class JOIN pg_namespace AS n ON n.oid = relnamespace
    WHERE pg_class.oid = to_regclass(${literal(watch.outbox)}));
  edict_version text := ${literal(`Edict watch ${hash} with outbox `)} || edict_outbox;
  edict_schema text;
  edict_function text;
  edict_path text := current_setting('search_path');
  edict_rows text;
  edict_is_null boolean;
  edict_relation regclass;
BEGIN
  IF edict_table IS NULL THEN
    ${raise(watch, 'the table does not exist. Create it first, or add its schema to the name.')}
  END IF;
  IF (SELECT relkind NOT IN ('r', 'p') FROM pg_class WHERE oid = edict_table) THEN
    ${raise(watch, 'this is no table. Watch the tables that it reads from.')}
  END IF;
  IF edict_table = to_regclass(edict_outbox) THEN
    ${raise(watch, 'this is the outbox. Watch the tables whose changes clients show.')}
  END IF;
  IF edict_outbox IS NULL THEN
    ${raise(watch, `the outbox ${watch.outbox} does not exist. Call migrate first.`)}
  END IF;
  edict_schema := (SELECT quote_ident(nspname) FROM pg_class JOIN pg_namespace AS n ON n.oid = relnamespace WHERE pg_class.oid = edict_table);
  -- Expressions are checked as the trigger runs them. The rows of a trigger have no system columns, such as xmin.
  PERFORM set_config('search_path', ${searchPath}, true);
  edict_rows := '(SELECT * FROM ' || edict_table::regclass || ')' || ${literal(` AS ${watch.table.alias}`)};
${watch.used.map((use) => checkOf(watch, use)).join('\n')}
${watch.audienceNames.map((audience) => checkOfAudience(watch, audience)).join('\n')}
  PERFORM set_config('search_path', edict_path, true);
  edict_function := edict_schema || ${literal(`.${identifier(functionName(watch))}`)};
  PERFORM pg_advisory_xact_lock(hashtext('edict watch'), edict_table::int);
  -- The tables a_b and a with the names c and b_c have one function name.
  IF EXISTS (SELECT FROM pg_trigger WHERE tgfoid = to_regproc(edict_function) AND tgname NOT IN (${triggerNames(watch)})) THEN
    ${raise(watch, 'the watch of another table has a function of this name. Pass another "name".')}
  END IF;
  IF obj_description(to_regproc(edict_function), 'pg_proc') = edict_version AND NOT EXISTS (
    WITH RECURSIVE edict_relations AS (${relations})
    SELECT FROM edict_relations CROSS JOIN unnest(ARRAY[${triggerNames(watch)}]) AS needed
    WHERE NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = edict_relations.oid AND tgname = needed AND tgfoid = to_regproc(edict_function))
  ) THEN
    RETURN;
  END IF;
  EXECUTE 'CREATE OR REPLACE FUNCTION ' || edict_function || '() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '
    || ${searchPath} || ' AS ' || quote_literal(replace($edict_body$${body}$edict_body$, '@edict_outbox@', edict_outbox));
  FOR edict_relation IN
    WITH RECURSIVE edict_relations AS (${relations}) SELECT DISTINCT oid FROM edict_relations
  LOOP
${triggers.map(({ when, suffix, tables }) => installTrigger(triggerName(watch, suffix), when, tables)).join('\n')}
  END LOOP;
  EXECUTE 'COMMENT ON FUNCTION ' || edict_function || '() IS ' || quote_literal(edict_version);
END
$edict_install$`;
}

/** Suppresses the notice that `DROP TRIGGER IF EXISTS` sends. */
const dropTrigger = (
  name: string,
): string => `    IF EXISTS (SELECT FROM pg_trigger WHERE tgrelid = edict_relation AND tgname = '${name}') THEN
      EXECUTE 'DROP TRIGGER ${name} ON ' || edict_relation;
    END IF;`;

const installTrigger = (name: string, when: string, tables: string): string =>
  `${dropTrigger(name)}
    EXECUTE 'CREATE TRIGGER ${name} ${when} ON ' || edict_relation || ' ${tables} FOR EACH STATEMENT EXECUTE FUNCTION ' || edict_function || '()';`;

/** Finds a column of the table. */
const columnNamed = (column: string): string =>
  `SELECT FROM pg_attribute WHERE attrelid = edict_table AND attname = ${literal(column)} AND attnum > 0 AND NOT attisdropped`;

/** In `id` and `params`, a string is a column. An audience named like a column would reach no client. */
function checkOfAudience(watch: Watch, { option, name }: Watch['audienceNames'][number]): string {
  const text = name.replaceAll('%', '%%');
  return `  IF EXISTS (${columnNamed(name)}) THEN
    ${raise(watch, `"${text}" in the option "${option}" is the name of an audience, but also a column. Write { column: "${text}" } for the value of the column, or { sql: "'${text}'" } for the name.`)}
  END IF;`;
}

/** Checks a column, or compiles an expression. */
function checkOf(watch: Watch, { option, column, sql }: Watch['used'][number]): string {
  const where = option.replaceAll('%', '%%');
  if (column === null) {
    const compiled = `  BEGIN
    -- In WHERE, so that an aggregate or a set is refused too.
    EXECUTE 'SELECT FROM ' || edict_rows || ${literal(` WHERE ${sql} IS NULL LIMIT 0`)};
  EXCEPTION WHEN OTHERS THEN
    ${raise(watch, `the SQL expression of "${where}" does not compile: %s. Correct it. Names outside of pg_catalog and of the schema of the table need their schema.`, ', SQLERRM')}
  END;`;
    if (option !== 'id') return compiled;
    // The message of an error about a value may contain the value.
    return `${compiled}
  BEGIN
    EXECUTE 'SELECT EXISTS (SELECT FROM ' || edict_rows || ${literal(` WHERE ${sql} IS NULL)`)} INTO edict_is_null;
  EXCEPTION WHEN OTHERS THEN
    ${raise(watch, 'the SQL expression of "id" fails for some rows: error %s. Use one that works for every row.', ', SQLSTATE')}
  END;
  IF edict_is_null THEN
    ${raise(watch, 'the SQL expression of "id" is null for some rows. Use one that is never null.')}
  END IF;`;
  }
  const found = columnNamed(column);
  const name = column.replaceAll('%', '%%');
  return `  IF NOT EXISTS (${found}) THEN
    ${raise(watch, `there is no column "${name}", which the option "${where}" names. Correct the name, or run the migration that adds the column first.`)}
  END IF;${
    option === 'id'
      ? `
  IF NOT EXISTS (${found} AND attnotnull) THEN
    ${raise(watch, `the column "${name}" can be null, so it cannot be the id. Use a column that is NOT NULL, such as the primary key.`)}
  END IF;`
      : ''
  }`;
}

/** The statement that removes the triggers, also those of a detached partition or of a renamed table. */
export function removeSql(watch: Watch): string {
  const call = `${identifier(functionName(watch))}()`;
  const schema = watch.table.text.includes('.') ? `${watch.table.sql.split('.')[0]}.` : '';
  return `DO $edict_remove$
DECLARE
  edict_table oid := to_regclass(${literal(watch.table.sql)});
  edict_function regprocedure := to_regprocedure(coalesce((SELECT quote_ident(nspname) || '.' FROM pg_class JOIN pg_namespace AS n ON n.oid = relnamespace
    WHERE pg_class.oid = edict_table), ${literal(schema)}) || ${literal(call)});
  edict_trigger text;
BEGIN
  FOR edict_trigger IN
    WITH RECURSIVE edict_relations AS (${relations})
    SELECT tgname || ' ON ' || tgrelid::regclass FROM pg_trigger
    WHERE tgname IN (${triggerNames(watch)})
      AND (tgfoid = edict_function OR tgrelid IN (SELECT oid FROM edict_relations))
  LOOP
    EXECUTE 'DROP TRIGGER ' || edict_trigger;
  END LOOP;
  IF edict_function IS NOT NULL THEN
    EXECUTE 'DROP FUNCTION ' || edict_function;
  END IF;
END
$edict_remove$`;
}
