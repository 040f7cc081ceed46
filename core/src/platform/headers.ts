/** The names and values of headers: of an object, a list of pairs, or `Headers` of whatever make. Nothing has none. */
export function headerPairs(headers: unknown): Iterable<readonly [name: string, value: string]> {
  const all = Object(headers) as object;
  return Symbol.iterator in all ? (all as Iterable<[string, string]>) : Object.entries(all);
}
