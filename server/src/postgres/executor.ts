// A common interface for statements, independent of the database library of the application.

import { shown } from '../optionErrors.ts';
import { databaseError } from './databaseError.ts';

/** Rows of a statement, by column. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * Runs a statement that contains `$1`, `$2` and so on. An adapter for a library that is not listed here takes one line:
 * `outbox({ execute: (sql, params) => … })`. All parameters are strings.
 */
export interface Executor {
  /** Resolves to the rows: a list, or an object with `rows`. */
  execute(sql: string, params: string[]): PromiseLike<unknown>;
}

/** A transaction of `pg`, PGlite, and libraries with the same method. */
export interface QueryTransaction {
  /** Runs a statement. */
  query(sql: string, params?: string[]): PromiseLike<unknown>;
}

/** A transaction of `postgres` (postgres.js). */
export interface PostgresJsTransaction {
  /** Runs a statement that is a string. */
  unsafe(sql: string, params?: string[]): PromiseLike<unknown>;
}

/** A transaction of Drizzle ORM, with any driver. */
export interface DrizzleTransaction {
  /** Runs a statement without parameters. */
  execute(sql: string): PromiseLike<unknown>;
}

/** A transaction, or a database, of Kysely. */
export interface KyselyTransaction {
  /** Runs a compiled query. */
  executeQuery(query: never): PromiseLike<unknown>;
  /** Only Kysely has this method. */
  getExecutor(): unknown;
}

/** A transaction, or a client, of Prisma. */
export interface PrismaTransaction {
  /** Runs a statement that is a string. */
  $queryRawUnsafe(sql: string, ...params: string[]): PromiseLike<unknown>;
}

/** A transaction of `pg`, PGlite, postgres.js, Drizzle, Kysely or Prisma, or an adapter. */
export type OutboxTransaction =
  | Executor
  | QueryTransaction
  | PostgresJsTransaction
  | DrizzleTransaction
  | KyselyTransaction
  | PrismaTransaction;

/** Runs a statement and resolves to its rows. */
export type Run = (sql: string, params?: string[]) => Promise<readonly Row[]>;

/**
 * Returns a function that runs statements in a transaction or database of a known library. Its errors contain no statement and no values.
 * Throws a `TypeError` that names `caller` for anything else.
 */
export function runOf(target: unknown, caller: string): Run {
  const execute = executeOf(target, caller);
  return async (sql, params = []) => {
    try {
      return rowsOf(await execute(sql, params));
    } catch (error) {
      throw databaseError(error);
    }
  };
}

type Execute = (sql: string, params: string[]) => PromiseLike<unknown>;

function executeOf(target: unknown, caller: string): Execute {
  if (has(target, '$queryRawUnsafe')) return (sql, params) => target.$queryRawUnsafe(sql, ...params);
  if (has(target, 'executeQuery') && has(target, 'getExecutor'))
    return (sql, params) => target.executeQuery(kyselyQuery(sql, params));
  // postgres.js is a function, and has `unsafe` for statements that are strings.
  if (has(target, 'unsafe')) return (sql, params) => target.unsafe(sql, params);
  if (has(target, 'query')) return (sql, params) => target.query(sql, params);
  if (has(target, 'execute')) {
    return isDrizzle(target)
      ? (sql, params) => target.execute(inlined(sql, params))
      : (sql, params) => target.execute(sql, params);
  }
  throw new TypeError(
    `[edict] ${caller}: expected a transaction of pg, PGlite, postgres.js, Drizzle, Kysely or Prisma, but received ${shown(target)}. ` +
      'Pass { execute(sql, params) } for any other library.',
  );
}

/** Whether a value has a method of this name. `rowsOf` checks what the method returns. */
export function has<N extends string>(
  target: unknown,
  name: N,
): target is Record<N, (...args: unknown[]) => PromiseLike<unknown>> {
  const isObject = (typeof target === 'object' && target !== null) || typeof target === 'function';
  return isObject && typeof Reflect.get(target, name) === 'function';
}

/** The value that Kysely's `CompiledQuery.raw` returns. It is built here, because Kysely is not a dependency. */
const kyselyQuery = (sql: string, parameters: readonly string[]): unknown => ({
  sql,
  parameters,
  query: { kind: 'RawNode', sqlFragments: [sql], parameters: [] },
  queryId: { queryId: 'edict' },
});

/** `execute` of Drizzle accepts no parameters. */
function isDrizzle(target: object): boolean {
  return 'dialect' in target && 'session' in target;
}

/**
 * Writes the parameters into the statement. Base64 contains only letters, digits, and `+/=`, so no value can end a
 * literal.
 */
function inlined(sql: string, params: readonly string[]): string {
  if (params.length === 0) return sql; // A function body may contain `$1` of its own.
  return sql.replaceAll(/\$(\d+)/g, (_, place: string) => {
    const encoded = Buffer.from(params[Number(place) - 1] ?? '', 'utf8').toString('base64');
    return `convert_from(decode('${encoded}', 'base64'), 'UTF8')`;
  });
}

/** postgres.js and Prisma return a list of rows, the others an object that contains one. */
function rowsOf(result: unknown): readonly Row[] {
  const rows: unknown = Array.isArray(result) ? result : hasRows(result) ? result.rows : [];
  return Array.isArray(rows) ? (rows as Row[]) : []; // Every driver returns rows as objects by column.
}

const hasRows = (value: unknown): value is { rows: unknown } =>
  typeof value === 'object' && value !== null && 'rows' in value;
