// How an error names what is wrong: who was called, the culprit, the rule, and what came. Pure.

/** A few words for a value, for error messages: `undefined`, `"abc"`, `-1`, `an array`. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  if (!Array.isArray(value)) return 'an object';
  return value.length === 0 ? 'an empty array' : 'an array';
}

/** The error for a value that breaks a rule: `createHub: heartbeatMs must be a number …, not "1".` */
export const wrong = (what: string, rule: string, value: unknown): TypeError =>
  new TypeError(`${what} must be ${rule}, not ${shown(value)}.`);

/** A number of things or bytes; the default where none is given. Throws a `TypeError` that names it. */
export function countOr(standard: number, what: string, value: unknown): number {
  if (value === undefined) return standard;
  if (Number.isSafeInteger(value) && (value as number) > 0) return value as number; // `isSafeInteger` is true of numbers only.
  throw wrong(what, 'a whole number above 0', value);
}

/** Timers cannot wait longer. */
const maxMs = 2 ** 31 - 1;

/** As `countOr`, a time to wait in milliseconds. */
export function durationOr(standard: number, what: string, value: unknown): number {
  if (value === undefined) return standard;
  if (typeof value === 'number' && value > 0 && value <= maxMs) return value;
  throw wrong(what, `a number of milliseconds above 0, at most ${maxMs}`, value);
}

/** Throws a `TypeError` that names it where something else than a function is given. */
export function functionOrNone(what: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'function') throw wrong(what, 'a function', value);
}

/**
 * A value as an object with no other members than these: a misspelt option would be as good as not given. Throws a `TypeError` that
 * names the stranger and lists what there is.
 * @param path of the object within the options, such as `limits`
 */
export function membersOf(
  value: unknown,
  keys: readonly string[],
  caller: string,
  path = '',
): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw wrong(`${caller}: ${path || 'options'}`, 'an object', value);
  const stranger = Object.keys(value).find((key) => !keys.includes(key));
  if (stranger !== undefined)
    throw new TypeError(
      `${caller}: ${path === '' ? '' : `${path}.`}${stranger} is not an option; there are ${keys.join(', ')}.`,
    );
  return value as Readonly<Record<string, unknown>>; // Any member of an object may be read.
}

/** Whether a value is an object, and no list. */
export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
