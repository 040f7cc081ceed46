type Pair = readonly [name: string, value: string];

/** The names and values of headers: an object, a list of pairs, or `Headers` of any implementation. Repeated names stay repeated. */
export function headerPairs(headers: unknown): readonly Pair[] {
  const all = Object(headers) as object;
  return Symbol.iterator in all ? [...(all as Iterable<Pair>)] : Object.entries(all);
}
