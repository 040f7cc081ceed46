// Maps by name for public results. They have no prototype, because a name is data and may be `constructor`
// (D-REG-6).

/** If a name occurs several times, the last value wins. */
export function tableOf<V>(pairs: Iterable<readonly [name: string | number, value: V]>): Record<string, V> {
  const table = Object.create(null) as Record<string, V>; // Nothing is inherited and all values are V.
  for (const [name, value] of pairs) table[name] = value;
  return table;
}
