// Reads headers without the class `Headers`, which may be missing if an application's tests replace `fetch`.

/**
 * The value of a header; empty if it is missing. A test double for `fetch` may return a response without headers.
 */
export const headerOf = ({ headers }: { headers?: Partial<Headers> }, name: string): string =>
  headers?.get?.(name) ?? '';

/**
 * Converts an object, a list of pairs, or a `Headers`. Names are in lower case, and the values of a repeated name
 * are joined.
 */
export function headersOf(given: unknown): Record<string, string> {
  const all = Object(given) as object;
  const pairs = Symbol.iterator in all ? [...(all as Iterable<[string, string]>)] : Object.entries(all);
  const headers = new Map<string, string>();
  for (const [name, value] of pairs) {
    const key = String(name).toLowerCase();
    headers.set(key, headers.has(key) ? `${headers.get(key)}, ${value}` : (value as string));
  }
  return Object.fromEntries(headers);
}
