// Headers without the class `Headers`: where the tests of an application replace `fetch`, the platform may have none.

/** The value of a header; empty where there is none. A stand-in for `fetch` may return a response without headers. */
export const headerOf = ({ headers }: { headers?: Partial<Headers> }, name: string): string =>
  headers?.get?.(name) ?? '';

/** The headers of an object, a list of pairs, or a `Headers`: names in lower case, and the values of a repeated name joined. */
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
