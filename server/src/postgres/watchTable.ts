// Triggers on a table of the application that write directives to the outbox: the options, and how they become SQL.

import type { CollectionName, TypeName } from '@edict/core';
import { countOr, isObject, membersOf, wrong } from '../optionErrors.ts';
import { runOf, type OutboxTransaction } from './executor.ts';
import { databaseError } from './databaseError.ts';
import { namesOf, outboxSql, type OutboxPlace } from './schema.ts';
import { identifier, literal, qualified } from './sqlText.ts';
import { installSql, removeSql, type Watch, type WatchedCollection } from './triggerSql.ts';

/** A value that the trigger computes from a row. */
export type RowValue =
  | {
      /** The value of a column. */
      column: string;
    }
  | {
      /** The value of an SQL expression over the columns of the row, such as `'team-' || team_id`. */
      sql: string;
    };

/** A definition of `defineItem` or `defineCollection`. */
export interface NamedDefinition {
  /** Whether it is an item type or a collection. */
  readonly kind: 'item' | 'collection';
  /** The registered name. */
  readonly name: string;
}

/** A collection that a row belongs to, with params that are computed from the row. */
export interface WatchCollectionOptions {
  /** The collection. */
  name: CollectionName | NamedDefinition | RowValue;
  /** The params of the lists that contain the row. A string is a column name. Without `params`, every list of the collection is refreshed. */
  params?: Readonly<Record<string, string | RowValue>> | undefined;
  /** `contains` (default) refreshes the lists whose params include these. `exact` refreshes the list with exactly these params. */
  mode?: 'contains' | 'exact' | undefined;
}

/** Options of `watchTable`. Wrong ones are a `TypeError` that names the option. */
export interface WatchTableOptions {
  /** The watched table, with its schema if that is not on the search path. Written as in the database: `ticket`, `Ticket` or `app.ticket`. */
  table: string;
  /** The item type: a name, a definition, or a value of the row. */
  type: TypeName | NamedDefinition | RowValue;
  /** The id of the item: a column name, or an SQL expression. A column must be `NOT NULL`. */
  id: string | RowValue;
  /** Collections that list the item. Default: none. Those of the old and of the new row are refreshed. */
  collections?: readonly (CollectionName | NamedDefinition | WatchCollectionOptions)[] | undefined;
  /**
   * Who receives the directives: names, or values of the row. Default `global`. A row whose value is null sends to nobody. When an update
   * changes the audience, the old and the new one are notified.
   */
  audience?: string | RowValue | readonly (string | RowValue)[] | undefined;
  /**
   * Columns whose updates matter. An update that changes none of them sends nothing. The columns of `id`, `type`, `audience` and of
   * params always matter. Default: every `UPDATE` matters, and nothing is compared.
   */
  columns?: readonly string[] | undefined;
  /**
   * What happens to the item when its row is deleted. `remove` (default): it is gone, as with `removeItem`. `refresh`: it is fetched again, for
   * tables whose rows are a part of the item, such as comments of a ticket.
   */
  onDelete?: 'remove' | 'refresh' | undefined;
  /** A statement that changes more rows sends one "every item of this type" instead of one directive per row. Default 100. */
  maxItems?: number | undefined;
  /** Distinguishes several watches of one table. Default: the type if it is a name, else `watch`. */
  name?: string | undefined;
  /** The table of the outbox. Default `edict_outbox`. */
  outbox?: string | undefined;
  /** The definitions that clients register. A type or collection that is not among them is a `TypeError`. */
  register?: readonly NamedDefinition[] | undefined;
}

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

const optionNames = [
  'table',
  'type',
  'id',
  'collections',
  'audience',
  'columns',
  'onDelete',
  'maxItems',
  'name',
  'outbox',
  'register',
];

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
    install: (db) => execute(db, 'install', sql),
    remove: (db) => execute(db, 'remove', removal),
  };
}

/**
 * Returns a migration that creates the outbox and installs watches: plain SQL, in which comments separate the statements as Drizzle's
 * migration files require (`drizzle-kit generate --custom`). `table` is the outbox.
 */
export function migrationSql(watches: readonly TableWatch[], place: OutboxPlace = {}): string {
  return [outboxSql(place), ...watches.map(({ sql }) => sql)]
    .map((statement) => `${statement};\n`)
    .join('--> statement-breakpoint\n');
}

async function execute(db: OutboxTransaction, caller: string, sql: string): Promise<void> {
  const run = runOf(db, `watchTable(…).${caller}`);
  try {
    await run(sql);
  } catch (error) {
    throw databaseError(error);
  }
}

/** Expressions are written into a dollar-quoted function, so they must not end it. */
const reserved = /\$edict|@edict/;

function readWatch(options: WatchTableOptions): Watch {
  membersOf(options, optionNames, 'watchTable');
  const { table, columns, onDelete = 'remove' } = options;
  if (typeof table !== 'string' || !/^[^.\0]+(\.[^.\0]+)?$/.test(table))
    throw wrong('watchTable: table', 'the name of a table, such as ticket or app.ticket', table);
  const used: Watch['used'][number][] = [];

  /** The SQL of a value. A string is a column where `isName` is false, and a name where it is true. */
  function value(option: string, given: unknown, isName: boolean): string {
    if (typeof given === 'string' && given !== '' && !reserved.test(given)) {
      if (isName) return `${literal(given)}::text`;
      return value(option, { column: given }, false);
    }
    if (isObject(given) && 'column' in given && typeof given.column === 'string') {
      const sql = identifier(given.column);
      used.push({ option, column: given.column, sql });
      return sql;
    }
    if (isObject(given) && 'sql' in given && typeof given.sql === 'string' && !reserved.test(given.sql)) {
      const sql = `(${given.sql}\n)`;
      used.push({ option, column: null, sql });
      return sql;
    }
    const rule = isName ? 'a name' : 'a column name';
    throw wrong(`watchTable: ${option}`, `${rule}, { column } or { sql }`, given);
  }

  function named(option: string, kind: NamedDefinition['kind'], given: unknown): string {
    const name = isObject(given) && 'kind' in given && 'name' in given ? given.name : given;
    if (name !== given && (given as NamedDefinition).kind !== kind)
      throw new TypeError(`[edict] watchTable: ${option} must be ${kind === 'item' ? 'an item type' : 'a collection'}, but "${String(name)}" is not.`); // prettier-ignore
    checkRegistered(option, kind, name, options.register);
    return value(option, name, true);
  }

  const collections = list('collections', options.collections ?? []).map(
    (given, index): WatchedCollection => {
      const option = `collections[${index}]`;
      const hasOptions = isObject(given) && 'name' in given && !('kind' in given);
      if (!hasOptions) return { name: named(option, 'collection', given), params: null, mode: 'contains' };
      membersOf(given, ['name', 'params', 'mode'], 'watchTable', option);
      const { name, params, mode = 'contains' } = given as WatchCollectionOptions;
      if (mode !== 'contains' && mode !== 'exact')
        throw wrong(`watchTable: ${option}.mode`, '"contains" or "exact"', mode);
      if (params !== undefined && !isObject(params))
        throw wrong(`watchTable: ${option}.params`, 'an object', params);
      return {
        name: named(`${option}.name`, 'collection', name),
        params:
          params === undefined
            ? null
            : Object.entries(params).map(([key, from]) => ({
                key: literal(key),
                value: value(`${option}.params.${key}`, from, false),
              })),
        mode,
      };
    },
  );

  if (onDelete !== 'remove' && onDelete !== 'refresh')
    throw wrong('watchTable: onDelete', '"remove" or "refresh"', onDelete);
  const type = named('type', 'item', options.type);
  const id = value('id', options.id, false);
  const audiences = (Array.isArray(options.audience) ? options.audience : [options.audience ?? 'global']).map(
    (audience, index) =>
      value(Array.isArray(options.audience) ? `audience[${index}]` : 'audience', audience, true),
  );
  if (audiences.length === 0)
    throw wrong('watchTable: audience', 'a name or a list with at least one', options.audience);
  return {
    table: { text: table, sql: qualified(table) },
    outbox: namesOf(options.outbox === undefined ? {} : { table: options.outbox }).table,
    name: readName(options),
    type,
    id,
    audiences,
    collections,
    columns:
      columns === undefined
        ? null
        : list('columns', columns).map((column) => value('columns', { column }, false)),
    removes: onDelete === 'remove',
    maxItems: countOr(100, 'watchTable: maxItems', options.maxItems),
    used,
  };
}

function list(option: string, given: unknown): readonly unknown[] {
  if (!Array.isArray(given)) throw wrong(`watchTable: ${option}`, 'an array', given);
  return given;
}

function checkRegistered(
  option: string,
  kind: NamedDefinition['kind'],
  name: unknown,
  register: unknown,
): void {
  if (register === undefined || typeof name !== 'string') return;
  const known = list('register', register)
    .filter(
      (definition): definition is NamedDefinition =>
        isObject(definition) && 'kind' in definition && definition.kind === kind,
    )
    .map((definition) => definition.name);
  if (known.includes(name)) return;
  throw new TypeError(
    `[edict] watchTable: ${option} is "${name}", which is not registered. Registered names: ${known.join(', ') || 'none'}.`,
  );
}

function readName({ name, type }: WatchTableOptions): string {
  if (name !== undefined && (typeof name !== 'string' || !/^[a-z_][a-z0-9_]{0,29}$/.test(name)))
    throw wrong('watchTable: name', 'at most 30 lower-case letters, digits and _', name);
  if (name !== undefined) return name;
  const text = typeof type === 'string' ? type : 'kind' in type ? type.name : 'watch';
  return text.toLowerCase().replaceAll(/[^a-z0-9_]/g, '_').slice(0, 30); // prettier-ignore
}
