// The texts of errors. Development builds also describe the received value and the fix.

declare const process: { env: { NODE_ENV?: string } };

/** A few words for a value, for error messages: `undefined`, `"abc"`, `-1`, `an array`, `an instance of Map`. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'bigint' ? `the bigint ${value}n` : String(value);
  }
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (value instanceof Date && Number.isNaN(value.getTime())) return 'an invalid Date';
  // Read from the prototype, because data may have a field `constructor`.
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
  return typeof name === 'string' && name !== '' && name !== 'Object'
    ? `an instance of ${name}`
    : 'an object';
}

/** The rule, and in development the received value: "must be a string, got 5". */
export const unmet = (expected: string, value: unknown): string =>
  process.env.NODE_ENV !== 'production' ? `must ${expected}, got ${describe(value)}` : `must ${expected}`;

/** Throws a `TypeError` that names the culprit and what it must be, and in development what it is. */
export function fail(culprit: string, expected: string, value: unknown): never {
  const received = process.env.NODE_ENV !== 'production' ? `, but it is ${describe(value)}` : '';
  throw new TypeError(`[edict] ${culprit} must ${expected}${received}.`);
}

/** An error with a name of the platform. `DOMException` is missing on some platforms, and on others it is not an `Error`. */
export function named(name: 'AbortError' | 'TimeoutError', message: string): Error {
  const error = new Error(message);
  error.name = name;
  return error;
}

/** The error of everything that is in flight when the data layer is disposed (D-FETCH-8). */
export const disposedError = (): Error =>
  named('AbortError', '[edict] The data layer was disposed or reset.');

/** The message of an error, or the string form of any other thrown value (§2.5, D-FETCH-7). */
export function messageOf(thrown: unknown): string {
  try {
    return String((thrown as { message?: unknown } | null)?.message || thrown); // An empty one would look like none.
  } catch {
    return 'something that has no string form was thrown';
  }
}
