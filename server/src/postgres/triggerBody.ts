// The body of the trigger function of a watched table.

import { clientIdSetting } from './clientId.ts';
import { literal } from './sqlText.ts';
import type { Watch } from './triggerSql.ts';

/** A list with more bytes is replaced by "every item of this type", so that it fits into an envelope of the hub. */
const maxListBytes = 49_152;

/** Values of `edict_statement` make the keys of a statement's directives different from those of every other statement. */
const declarations = `DECLARE
  edict_statement text := gen_random_uuid()::text;
  edict_source jsonb := CASE WHEN coalesce(current_setting(${literal(clientIdSetting)}, true), '') = '' THEN '{}'::jsonb
    ELSE jsonb_build_object('source', current_setting(${literal(clientIdSetting)}, true)) END;
  edict_count int;
  edict_reason text;`;

/** An integer that JavaScript reads exactly stays a number. */
const idJson = (id: string): string =>
  `CASE WHEN jsonb_typeof(to_jsonb(${id})) = 'number' AND length(${id}::text) <= 15 THEN to_jsonb(${id}) ELSE to_jsonb(${id}::text) END`;

/** A number that JavaScript does not read exactly becomes a string. */
const paramJson = (value: string): string =>
  `CASE WHEN jsonb_typeof(to_jsonb(${value})) = 'number' AND to_jsonb(${value}) NOT BETWEEN '${Number.MIN_SAFE_INTEGER}' AND '${Number.MAX_SAFE_INTEGER}' THEN to_jsonb(${value}::text) ELSE to_jsonb(${value}) END`;

function collectionJson({ name, params, mode }: Watch['collections'][number]): string {
  const base = `'op', 'refresh_collection', 'name', ${name}`;
  if (params === null) return `jsonb_build_object(${base})`;
  const values = params.map(({ key, value }) => `${key}, ${paramJson(value)}`).join(', ');
  const modeJson = mode === 'contains' ? `, 'params_mode', 'contains'` : '';
  return `jsonb_build_object(${base}, 'params', jsonb_build_object(${values})${modeJson})`;
}

/** The values that the trigger needs from each version of a row. */
const versions = (
  watch: Watch,
  table: string,
): string => `SELECT ${watch.type}::text AS edict_type, ${idJson(watch.id)} AS edict_id,
        ARRAY[${watch.audiences.join(', ')}]::text[] AS edict_audiences, ARRAY[${watch.collections.map(collectionJson).join(', ')}]::jsonb[] AS edict_lists,
        ARRAY[${(watch.columns ?? []).map((column) => `${column}::text`).join(', ')}]::text[] AS edict_columns
      FROM ${table} AS ${watch.table.alias}`;

/**
 * Whether a large update changed anything that matters. Comparing checksums costs a tenth of comparing the rows,
 * and the checksums of the first rows usually differ already. PostgreSQL does not promise the same order of old
 * and new rows. In another order the first rows only look changed, and then clients fetch once too often.
 */
function hasChanged(watch: Watch): string {
  const values = [...new Set([watch.id, ...watch.used.map(({ sql }) => sql)])];
  const sums = values.map((sql) => `sum(hashtextextended(${sql}::text, edict_seed))`).join(', ');
  const checksum = (table: string, limit: string): string =>
    `(SELECT ROW(${sums}) FROM (SELECT *, hashtextextended(${watch.id}::text, 0) AS edict_seed FROM ${table} AS ${watch.table.alias}${limit}) AS ${watch.table.alias})`;
  const differ = (limit: string): string =>
    `${checksum('edict_old', limit)} IS DISTINCT FROM ${checksum('edict_new', limit)}`;
  return `${differ(' LIMIT 10')} OR ${differ('')}`;
}

/** All directives of one statement share these values. The dynamic statement for `TRUNCATE` receives them as parameters. */
const variables = { statement: 'edict_statement', source: 'edict_source' };

const withKey = (directive: string, { statement, source } = variables): string =>
  `${directive} || jsonb_build_object('idempotency_key', md5(${statement} || ${directive}::text)) || ${source}`;

/** Every item of a type, or every list of a collection. */
const broad = `CASE edict_directive ->> 'op' WHEN 'refresh_item' THEN
          jsonb_build_object('op', 'invalidate', 'kind', 'item', 'name', edict_directive -> 'name')
        ELSE jsonb_build_object('op', 'refresh_collection', 'name', edict_directive -> 'name') END`;

/** A longer text is no name, and may not fit into the index of the outbox. The hub refuses the rest too, which the relay logs. */
const audienceName = 'left(edict_audience, 200)';

type Operation = 'INSERT' | 'UPDATE' | 'DELETE';

/** One directive for each item and list of the changed rows. */
function writeEach(watch: Watch, operation: Operation): string {
  const before = operation === 'INSERT' ? null : versions(watch, 'edict_old');
  const after = operation === 'DELETE' ? null : versions(watch, 'edict_new');
  const parts = [before === null ? '' : 'edict_before', after === null ? '' : 'edict_after'].filter(Boolean);
  const isCompared = operation === 'UPDATE' && watch.columns !== null;
  const changed = isCompared
    ? '(TABLE edict_before EXCEPT ALL TABLE edict_after) UNION ALL (TABLE edict_after EXCEPT ALL TABLE edict_before)'
    : parts.map((part) => `TABLE ${part}`).join(' UNION ALL ');
  const gone = `jsonb_build_object('result', NULL)`;
  const isGone =
    !watch.removes || operation === 'INSERT'
      ? null
      : operation === 'DELETE'
        ? 'true'
        : `NOT EXISTS (SELECT FROM edict_after WHERE edict_after.edict_type = edict_changed.edict_type AND edict_after.edict_id = edict_changed.edict_id)`;
  return `    IF EXISTS (${parts.map((part) => `SELECT FROM edict_${part === 'edict_before' ? 'old' : 'new'} AS ${watch.table.alias} WHERE (${watch.id} IS NULL OR ${watch.type} IS NULL) AND num_nonnulls(${watch.audiences.join(', ')}) > 0`).join(' UNION ALL ')}) THEN
      RAISE EXCEPTION USING ERRCODE = '42ED1', MESSAGE = 'the id or the type of a row is null';
    END IF;
    WITH ${
      before === null
        ? ''
        : `edict_before AS MATERIALIZED (
      ${before}
    ), `
    }${
      after === null
        ? ''
        : `edict_after AS MATERIALIZED (
      ${after}
    ), `
    }edict_changed AS MATERIALIZED (${changed}),
    edict_sent AS (
      SELECT unnest(edict_audiences) AS edict_audience, jsonb_build_object('op', 'refresh_item', 'name', edict_type, 'id', edict_id)${isGone === null ? '' : ` || CASE WHEN ${isGone} THEN ${gone} ELSE '{}' END`} AS edict_directive
      FROM edict_changed
      UNION
      SELECT unnest(edict_audiences), edict_list FROM edict_changed CROSS JOIN unnest(edict_lists) AS edict_list
      WHERE edict_list ->> 'name' IS NOT NULL
    ),
    edict_full AS (
      SELECT edict_audience, jsonb_agg(${withKey('edict_directive')})::text AS edict_text, jsonb_agg(DISTINCT ${withKey(`(${broad})`)})::text AS edict_short
      FROM edict_sent WHERE edict_audience IS NOT NULL GROUP BY edict_audience
    )
    INSERT INTO @edict_outbox@ (audience, directives)
    SELECT ${audienceName}, CASE WHEN octet_length(edict_text) <= ${maxListBytes} THEN edict_text ELSE edict_short END FROM edict_full;`;
}

/** One directive for each type and collection of the rows in these tables. Reads no row if the type, the names and the audiences are fixed. */
function writeBroad(watch: Watch, tables: readonly string[], shared = variables): string {
  const values = [watch.type, ...watch.audiences, ...watch.collections.map(({ name }) => name)];
  const columns = values.map((_, index) => `edict_${index}`);
  const selected = values.map((sql, index) => `${sql}::text AS edict_${index}`).join(', ');
  // Duplicates are removed first, because building JSON for each row would cost more than the statement of the
  // application.
  const rows = isFixed(watch)
    ? `SELECT ${selected}`
    : tables
        .map((table) => `SELECT DISTINCT ${selected} FROM ${table} AS ${watch.table.alias}`)
        .join(' UNION ');
  const [type, ...others] = columns;
  const audiences = others.slice(0, watch.audiences.length);
  const lists = others.slice(watch.audiences.length);
  const directives = [
    `jsonb_build_object('op', 'invalidate', 'kind', 'item', 'name', ${type})`,
    ...lists.map((list) => `jsonb_build_object('op', 'refresh_collection', 'name', ${list})`),
  ];
  return `INSERT INTO @edict_outbox@ (audience, directives)
      SELECT ${audienceName}, jsonb_agg(DISTINCT ${withKey('edict_directive', shared)})::text
      FROM (${rows}) AS edict_values
      CROSS JOIN unnest(ARRAY[${audiences.join(', ')}]) AS edict_audience
      CROSS JOIN unnest(ARRAY[${directives.join(', ')}]) AS edict_directive
      WHERE edict_audience IS NOT NULL AND edict_directive ->> 'name' IS NOT NULL GROUP BY edict_audience;`;
}

const isFixed = ({ type, audiences, collections }: Watch): boolean =>
  [type, ...audiences, ...collections.map(({ name }) => name)].every(isConstant);

/** Names are literals. */
const isConstant = (sql: string): boolean => sql.startsWith("'");

function branch(watch: Watch, operation: Operation): string {
  const counted = operation === 'DELETE' ? 'edict_old' : 'edict_new';
  const isCompared = operation === 'UPDATE' && watch.columns !== null;
  return `  IF TG_OP = '${operation}' THEN
    SELECT count(*) INTO edict_count FROM (SELECT FROM ${counted} LIMIT ${watch.maxItems + 1}) AS edict_some;
    IF edict_count = 0 THEN
      RETURN NULL;
    ELSIF edict_count <= ${watch.maxItems} THEN
  ${writeEach(watch, operation)}
    ${isCompared ? `ELSIF ${hasChanged(watch)} THEN` : 'ELSE'}
      ${writeBroad(watch, operation === 'UPDATE' ? ['edict_old', 'edict_new'] : [counted])}
    END IF;
  END IF;`;
}

/**
 * The body. An error of the trigger itself must not reach the statement of the application. Instead the relay receives a row that describes the
 * error, and clients fetch everything of this table again where their audience is known. Messages about values are dropped, because they could contain data.
 */
export const triggerBody = (watch: Watch): string => `
#variable_conflict use_column
${declarations}
BEGIN
${(['INSERT', 'UPDATE', 'DELETE'] as const).map((operation) => branch(watch, operation)).join('\n')}
  IF TG_OP = 'TRUNCATE' THEN
    EXECUTE replace($edict_sql$${writeBroad(watch, ['@edict_relation@'], { statement: '$1', source: '$2' })}$edict_sql$,
      '@edict_relation@', TG_RELID::regclass::text) USING edict_statement, edict_source;
  END IF;
  RETURN NULL;
EXCEPTION WHEN OTHERS THEN
  edict_reason := CASE WHEN SQLSTATE = '42ED1' THEN SQLERRM || '. Use columns or expressions that are never null.'
    WHEN SQLSTATE LIKE '42%' THEN SQLERRM || '. Run install of its watchTable again.'
    ELSE 'error ' || SQLSTATE || '. If an expression of the watch fails for a row, correct it.' END;
  BEGIN
    INSERT INTO @edict_outbox@ (audience, directives) VALUES ('global', json_build_object('failure',
      ${literal(`The trigger on table "${watch.table.text}" (watch "${watch.name}") could not write its directives: `)} || edict_reason)::text);
    ${isFixed(watch) ? writeBroad(watch, []) : ''}
  EXCEPTION WHEN OTHERS THEN
    RAISE WARNING '[edict] The trigger on table % could not write to the outbox: error %', TG_TABLE_NAME, SQLSTATE;
  END;
  RETURN NULL;
END`;
