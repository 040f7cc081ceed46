// Errors of a database driver, without the values that drivers attach to them.

import { isObject } from '../optionErrors.ts';

/** PostgreSQL's code for a table that does not exist. */
const undefinedTable = '42P01';

/** Drizzle wraps the error of the database into another one, whose message contains the parameters. */
function original(error: unknown): unknown {
  return isObject(error) && 'cause' in error && isObject(error.cause) ? original(error.cause) : error;
}

/** PostgreSQL's five-character code of an error, or null. */
export function codeOf(error: unknown): string | null {
  const source = original(error);
  return isObject(source) && 'code' in source && typeof source.code === 'string' ? source.code : null;
}

/** Whether a statement failed because its table does not exist. */
export const isUndefinedTable = (error: unknown): boolean => codeOf(error) === undefinedTable;

/**
 * Returns the message and the `code` of a driver's error. Drivers also attach the statement, its parameters, or
 * the failed row, which must not appear in a log. An error of this package is returned unchanged.
 */
export function databaseError(error: unknown): Error {
  if (error instanceof Error && error.message.startsWith('[edict]')) return error;
  const source = original(error);
  const code = codeOf(error);
  const message = source instanceof Error ? source.message : String(source);
  // Node reports a failure of several addresses with a code and without a message.
  const clean = new Error(message === '' && code !== null ? `The connection failed (${code}).` : message);
  return code === null ? clean : Object.assign(clean, { code });
}
