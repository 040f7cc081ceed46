// Rules for values, each with its error text. They apply to options, responses, and data from the network.

import type { Id } from '../protocol/directive.ts';
import { dev, fail } from './describe.ts';
import { isPlainObject } from '../platform/plainObject.ts';

/** A rule for a value. */
export type Check<T = unknown> = (value: unknown) => value is T;

export const isText = (value: unknown): value is string => typeof value === 'string';
export const isName = (value: unknown): value is string => isText(value) && value !== '';
export const isNumber = Number.isFinite as Check<number>; // Only numbers are finite.
export const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
export const isFunction = (value: unknown): value is (...args: never) => unknown =>
  typeof value === 'function';
export const isList: Check<unknown[]> = Array.isArray;

/** A number must have a JSON form, so that the server can name the same item (D-REG-5). */
export const isId = (value: unknown): value is Id => isText(value) || isNumber(value);

type Members = Record<string, unknown>;

/** An object of any class, but not a list. */
export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !isList(value);

/** The text after "must" for each rule, such as `be a string`. Only development builds contain it. */
const texts = /* @__PURE__ */ new WeakMap<object, string>([
  [isText, 'be a string'],
  [isName, 'be a string that is not empty'],
  [isNumber, 'be a finite number'],
  [isFlag, 'be true or false'],
  [isFunction, 'be a function'],
  [isList, 'be an array'],
  [isId, 'be a string or a finite number'],
  [isObject, 'be an object'],
  [isPlainObject, 'be an object'],
]);

/** The text of a rule, for development. */
export const expectedBy = (rule: Check): string => texts.get(rule) ?? '';

/** A rule with its text. The caller declares the type T that `accepts` ensures. A function has one text. */
export function check<T>(expected: string, accepts: (value: unknown) => boolean): Check<T> {
  if (process.env.NODE_ENV !== 'production') texts.set(accepts, expected);
  return accepts as Check<T>;
}

export function oneOf<T extends string>(...values: readonly T[]): Check<T> {
  const accepts = (value: unknown): value is T => values.includes(value as T);
  return process.env.NODE_ENV === 'production' ? accepts : check(`be "${values.join('" or "')}"`, accepts);
}

/** Returns the value. Throws a `TypeError` that names the culprit, and in development the rule and the value. */
export const must = <T, V>(culprit: string, rule: Check<T>, value: V): T & V =>
  rule(value) ? value : fail(culprit, dev`${expectedBy(rule)}`, value);

export type Checks = Readonly<Record<string, Check>>;

/**
 * Returns the value, an object whose members are all known and valid. Members that are `undefined` count as absent.
 * @param at the path before the name of a member
 */
export function mustHave(culprit: string, checks: Checks, value: unknown, at: string): Members {
  const members = must(culprit, isObject, value);
  // An unknown member would silently have no effect.
  for (const key of Object.keys(members))
    if (!Object.hasOwn(checks, key)) {
      const hint = 'params' in checks ? `Filters belong in params: { params: { ${key}: … } }. ` : '';
      const known = Object.keys(checks).join(', ');
      throw new TypeError(`[edict] ${at}${key} is not an option. ${hint}Use one of: ${known}.`);
    }
  // A member may be inherited from a class.
  for (const [key, rule] of Object.entries(checks))
    if (members[key] !== undefined) must(at + key, rule, members[key]);
  return members;
}
