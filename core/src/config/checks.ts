// What a value must be, in words, and whether it is that: for options, answers and what comes over a wire.

import type { Id } from '../protocol/directive.ts';
import { fail } from './describe.ts';
import { isPlainObject } from '../cache/structuralSharing.ts';

/** An object, and not a pair: taking a pair apart is a walk, and this is done ten times for each directive. */
export interface Check<T = unknown> {
  /** What stands after "must". */
  readonly expected: string;
  readonly accepts: (value: unknown) => value is T;
}

/** T is what the caller says that `accepts` makes sure of. */
export const check = <T>(expected: string, accepts: (value: unknown) => boolean): Check<T> => ({
  expected,
  accepts: accepts as Check<T>['accepts'],
});

/** The value, when it is what it must be. Throws a `TypeError` that names the culprit, what was expected and what came. */
export const must = <T, V>(culprit: string, { expected, accepts }: Check<T>, value: V): T & V =>
  accepts(value) ? value : fail(culprit, expected, value);

export const isText = (value: unknown): value is string => typeof value === 'string';
export const isName = (value: unknown): value is string => isText(value) && value !== '';
export const isFunction = (value: unknown): boolean => typeof value === 'function';

/** As in a directive: a number that has a JSON form, so that the server can name the same item (D-REG-5). */
export const isId = (value: unknown): value is Id => isText(value) || Number.isFinite(value);

/** An object of any class, not a list: any of its fields may be read. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isListOf = (value: unknown, accepts: (item: unknown) => boolean): value is unknown[] =>
  Array.isArray(value) && value.every(accepts);

export const aText: Check<string> = check('be a string', isText);
export const aName: Check<string> = check('be a string that is not empty', isName);
export const aNumber: Check<number> = check('be a finite number', Number.isFinite);
export const anId: Check<Id> = check('be a string or a finite number', isId);
export const aFlag: Check<boolean> = check('be true or false', (value) => typeof value === 'boolean');
export const anObject: Check<Record<string, unknown>> = check('be an object', isObject);
export const aPlainObject: Check<Record<string, unknown>> = check('be an object', isPlainObject);

export const aList: Check<unknown[]> = check('be an array', Array.isArray);
export const aFunction: Check<(...args: never) => unknown> = check('be a function', isFunction);

export type Checks = Readonly<Record<string, Check>>;

/** What a table has under a name. Throws a `TypeError` that lists what there is: a misspelt option would be as good as not given. */
export function known<T>(table: Readonly<Record<string, T>>, key: string, path: string): T {
  if (Object.hasOwn(table, key)) return table[key] as T; // Just looked at.
  throw new TypeError(`${path} is not an option; known are ${Object.keys(table).join(', ')}`);
}

/**
 * The value, when it is an object whose members all are known and what they must be; `undefined` is as good as not given.
 * @param at what stands before the name of a member
 */
export function mustHave(
  culprit: string,
  checks: Checks,
  value: unknown,
  at: string,
): Record<string, unknown> {
  const members = must(culprit, anObject, value);
  for (const key of Object.keys(members)) known(checks, key, at + key);
  // By the table: a member may be that of a class.
  for (const [key, its] of Object.entries(checks))
    if (members[key] !== undefined) must(at + key, its, members[key]);
  return members;
}
