// The texts of errors. Texts for programming mistakes exist only in development builds. Production builds name
// the culprit and the type of the value.

/** Marks a text that production builds leave out: the build replaces it with an empty one. */
export const dev = (...text: Parameters<typeof String.raw>): string => String.raw(...text);

/** A few words for a value, for error messages: `undefined`, `"abc"`, `-1`, `an array`, `an instance of Map`. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'bigint') return `the bigint ${value}n`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (value instanceof Date && Number.isNaN(value.getTime())) return 'an invalid Date';
  // Read from the prototype, because data may have a field `constructor`.
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
  return typeof name === 'string' && !/^(Object)?$/.test(name) ? `an instance of ${name}` : 'an object';
}

/** In development the rule and the received value: "must be a string, but it is 5". In production only the type of the value. */
export const unmet = (expected: string, value: unknown): string =>
  process.env.NODE_ENV !== 'production'
    ? `must ${expected}, but it is ${describe(value)}`
    : `is not valid (${typeof value})`;

/** Throws a `TypeError` that names the culprit. In development it also contains the rule and the received value. */
export function fail(culprit: string, expected: string, value: unknown): never {
  throw new TypeError(`[edict] ${culprit} ${unmet(expected, value)}.`);
}

/**
 * An error with a name that the platform defines. `DOMException` is missing on some platforms, and on others it is
 * not an `Error`.
 */
export function named(name: 'AbortError' | 'TimeoutError', message: string): Error {
  const error = new Error(message);
  error.name = name;
  return error;
}

/** The error of all requests that are in flight when the data layer is disposed (D-FETCH-8). */
export const disposedError = (): Error =>
  named('AbortError', '[edict] The data layer was disposed or reset.');

/** The message of an error, or the string form of any other thrown value (§2.5, D-FETCH-7). */
export function messageOf(thrown: unknown): string {
  try {
    return String((thrown as { message?: unknown } | null)?.message || thrown); // An empty one would look like none.
  } catch {
    return 'unknown error';
  }
}

/** What was thrown. A value that is not an error is wrapped, so that `error.message` can be shown. */
export const errorOf = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(messageOf(thrown), { cause: thrown });
