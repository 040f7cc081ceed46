// Errors for invalid arguments and options: `[edict] <caller>: <name> must be <rule>, not <value>.` Pure.

/** A short text for a value in an error message: `undefined`, `"abc"`, `-1`, `an array`. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  if (value instanceof Promise) return 'a promise (await it)';
  if (!Array.isArray(value)) return 'an object';
  return value.length === 0 ? 'an empty array' : 'an array';
}

/** The error for a value that breaks a rule. `what` is the caller and the name, such as `createHub: heartbeatMs`. */
export const wrong = (what: string, rule: string, value: unknown): TypeError =>
  new TypeError(`[edict] ${what} must be ${rule}, not ${shown(value)}.`);

/** Returns a whole number above 0, or the default for undefined. Throws a `TypeError` for another value. */
export function countOr(standard: number, what: string, value: unknown): number {
  if (value === undefined) return standard;
  if (Number.isSafeInteger(value) && (value as number) > 0) return value as number; // True only for numbers.
  throw wrong(what, 'a whole number above 0', value);
}

/** Timers cannot wait longer. */
const maxMs = 2 ** 31 - 1;

/** Returns a time in milliseconds, or the default for undefined. Throws a `TypeError` for another value. */
export function durationOr(standard: number, what: string, value: unknown): number {
  if (value === undefined) return standard;
  if (typeof value === 'number' && value > 0 && value <= maxMs) return value;
  throw wrong(what, `a number of milliseconds above 0, at most ${maxMs}`, value);
}

/** Throws a `TypeError` for a value that is neither a function nor undefined. */
export function functionOrNone(what: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'function') throw wrong(what, 'a function', value);
}

/**
 * Returns the value as an object that has no other members than `keys`. A misspelled option would otherwise be ignored silently. Throws a
 * `TypeError` that names the unknown member and lists the known ones.
 * @param path of the object within the options, such as `limits`
 */
export function membersOf(
  value: unknown,
  keys: readonly string[],
  caller: string,
  path = '',
): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw wrong(`${caller}: ${path || 'options'}`, 'an object', value);
  const unknownKey = Object.keys(value).find((key) => !keys.includes(key));
  if (unknownKey !== undefined)
    throw new TypeError(
      `[edict] ${caller}: ${path === '' ? '' : `${path}.`}${unknownKey} is not an option. Use one of: ${keys.join(', ')}.`,
    );
  return value as Readonly<Record<string, unknown>>; // Any member of an object may be read.
}

/** Whether a value is an object, and neither an array nor a promise, which has the members only once it is awaited. */
export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Promise);
