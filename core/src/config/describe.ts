// How errors are named, and the value that came.

/** A few words for a value, for error messages: `undefined`, `"abc"`, `-1`, `an array`, `an instance of Map`. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'bigint' ? `the bigint ${value}n` : String(value);
  }
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (value instanceof Date && Number.isNaN(value.getTime())) return 'an invalid Date';
  // Of the prototype: data may have a field `constructor`.
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
  return typeof name === 'string' && name !== '' && name !== 'Object'
    ? `an instance of ${name}`
    : 'an object';
}

/** What was expected, and what came. */
export const unmet = (expected: string, value: unknown): string => `must ${expected}, got ${describe(value)}`;

/** Throws a `TypeError` that names the culprit, what was expected of it and what came. */
export function fail(culprit: string, expected: string, value: unknown): never {
  throw new TypeError(`${culprit} ${unmet(expected, value)}`);
}

/** An error as a platform names its own; not all have `DOMException`, and not everywhere is that an `Error`. */
export function named(name: 'AbortError' | 'TimeoutError', message: string): Error {
  const error = new Error(message);
  error.name = name;
  return error;
}

/** What is under way when the data layer is disposed ends with this (D-FETCH-8). */
export const disposedError = (): Error => named('AbortError', 'the data layer was disposed');
