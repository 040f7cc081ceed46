// Rules for values, each with its error text. They apply to options, responses, and data from the network.

import type { Id } from '../protocol/directive.ts';
import { dev, fail } from './describe.ts';
import { isPlainObject } from '../platform/plainObject.ts';

/**
 * A rule for a value. It is an object, because destructuring an array is slow, and every directive goes through
 * about ten checks.
 */
export interface Check<T = unknown> {
  /** The text after "must", such as `be a string`. */
  readonly expected: string;
  readonly accepts: (value: unknown) => value is T;
}

/** The caller declares the type T that `accepts` ensures. */
export const check = <T>(expected: string, accepts: (value: unknown) => boolean): Check<T> => ({
  expected,
  accepts: accepts as Check<T>['accepts'],
});

export const oneOf = <T extends string>(...values: readonly T[]): Check<T> =>
  check(dev`be "${values.join('" or "')}"`, (value) => values.includes(value as T));

/** Returns the value. Throws a `TypeError` that names the culprit, the rule, and in development the value. */
export const must = <T, V>(culprit: string, { expected, accepts }: Check<T>, value: V): T & V =>
  accepts(value) ? value : fail(culprit, expected, value);

export const isText = (value: unknown): value is string => typeof value === 'string';
export const isName = (value: unknown): value is string => isText(value) && value !== '';
export const isFlag = (value: unknown): boolean => typeof value === 'boolean';
export const isFunction = (value: unknown): boolean => typeof value === 'function';

/** A number must have a JSON form, so that the server can name the same item (D-REG-5). */
export const isId = (value: unknown): value is Id => isText(value) || Number.isFinite(value);

/** An object of any class, but not a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isListOf = (value: unknown, accepts: (item: unknown) => boolean): value is unknown[] =>
  Array.isArray(value) && value.every(accepts);

export const aText: Check<string> = /* @__PURE__ */ check(dev`be a string`, isText);
export const aName: Check<string> = /* @__PURE__ */ check(dev`be a string that is not empty`, isName);
export const aNumber: Check<number> = /* @__PURE__ */ check(dev`be a finite number`, Number.isFinite);
export const anId: Check<Id> = /* @__PURE__ */ check(dev`be a string or a finite number`, isId);
export const aFlag: Check<boolean> = /* @__PURE__ */ check(dev`be true or false`, isFlag);
export const anObject: Check<Record<string, unknown>> = /* @__PURE__ */ check(dev`be an object`, isObject);
export const aPlainObject: Check<Record<string, unknown>> = /* @__PURE__ */ check(
  dev`be an object`,
  isPlainObject,
);

export const aList: Check<unknown[]> = /* @__PURE__ */ check(dev`be an array`, Array.isArray);
export const aFunction: Check<(...args: never) => unknown> = /* @__PURE__ */ check(
  dev`be a function`,
  isFunction,
);

export type Checks = Readonly<Record<string, Check>>;

/**
 * Returns the value, an object whose members are all known and valid. Members that are `undefined` count as absent.
 * @param at the path before the name of a member
 */
export function mustHave(
  culprit: string,
  checks: Checks,
  value: unknown,
  at: string,
): Record<string, unknown> {
  const members = must(culprit, anObject, value);
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
