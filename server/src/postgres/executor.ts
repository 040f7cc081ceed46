// One way to run a statement, whatever the application uses for its transactions.

import { shown } from '../optionErrors.ts';

/** Rows of a statement, by column. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * The smallest thing that runs a statement with `$1`, `$2` … in it. Anything that is not known here can be adapted in a line:
 * `outbox({ execute: (sql, params) => … })`. Parameters are strings only.
 */
export interface Executor {
  /** Resolves to the rows: a list, or an object with `rows`. */
  execute(sql: string, params: string[]): PromiseLike<unknown>;
}

/** A transaction of `pg`, PGlite and those like them. */
export interface QueryTransaction {
  /** Runs a statement. */
  query(sql: string, params?: string[]): PromiseLike<unknown>;
}

/** A transaction of `postgres` (postgres.js). */
export interface PostgresJsTransaction {
  /** Runs a statement that is text. */
  unsafe(sql: string, params?: string[]): PromiseLike<unknown>;
}

/** A transaction of Drizzle ORM, over any driver. */
export interface DrizzleTransaction {
  /** Runs a statement without parameters. */
  execute(sql: string): PromiseLike<unknown>;
}

/** What `outbox` takes: the transaction of `pg`, PGlite, postgres.js or Drizzle, or an adapter. */
export type OutboxTransaction = Executor | QueryTransaction | PostgresJsTransaction | DrizzleTransaction;

/** Runs a statement and answers its rows. */
export type Run = (sql: string, params?: string[]) => Promise<readonly Row[]>;

/**
 * Finds out how a transaction, or a database, runs a statement for `caller`. Throws a `TypeError` when it does not look like any.
 */
export function runOf(target: unknown, caller: string): Run {
  const execute = executeOf(target, caller);
  return async (sql, params = []) => rowsOf(await execute(sql, params));
}

type Execute = (sql: string, params: string[]) => PromiseLike<unknown>;

function executeOf(target: unknown, caller: string): Execute {
  // postgres.js is a function, and has `unsafe` for statements that are text.
  if (has(target, 'unsafe')) return (sql, params) => target.unsafe(sql, params);
  if (has(target, 'query')) return (sql, params) => target.query(sql, params);
  if (has(target, 'execute')) {
    return isDrizzle(target)
      ? (sql, params) => target.execute(inlined(sql, params))
      : (sql, params) => target.execute(sql, params);
  }
  throw new TypeError(
    `${caller}: give a transaction of pg, PGlite, postgres.js or Drizzle, or { execute(sql, params) }, not ${shown(target)}. ` +
      'Kysely and Prisma need the adapter of the guide on the outbox.',
  );
}

/** Whether it has a method of this name. What the method gives back is looked at by `rowsOf`. */
export function has<N extends string>(
  target: unknown,
  name: N,
): target is Record<N, (...args: unknown[]) => PromiseLike<unknown>> {
  const isObject = (typeof target === 'object' && target !== null) || typeof target === 'function';
  return isObject && typeof Reflect.get(target, name) === 'function';
}

/** Drizzle's `execute` takes no parameters beside the statement. */
function isDrizzle(target: object): boolean {
  return 'dialect' in target && 'session' in target;
}

/** Parameters written into the statement. As base64 they are letters and digits only: nothing in them can end a literal. */
function inlined(sql: string, params: readonly string[]): string {
  return sql.replaceAll(/\$(\d+)/g, (_, place: string) => {
    const encoded = Buffer.from(params[Number(place) - 1] ?? '', 'utf8').toString('base64');
    return `convert_from(decode('${encoded}', 'base64'), 'UTF8')`;
  });
}

/** postgres.js answers a list of rows, the others an object that has one. */
function rowsOf(result: unknown): readonly Row[] {
  const rows: unknown = Array.isArray(result) ? result : hasRows(result) ? result.rows : [];
  return Array.isArray(rows) ? (rows as Row[]) : []; // Every driver makes rows objects by column.
}

const hasRows = (value: unknown): value is { rows: unknown } =>
  typeof value === 'object' && value !== null && 'rows' in value;
