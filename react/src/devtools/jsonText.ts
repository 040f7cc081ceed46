// Any value as text.

/** Returns indented JSON. Values without a JSON form are described in words. */
export function jsonOf(value: unknown): string {
  const open: unknown[] = [];
  const replacer = function replace(this: unknown, _: string, part: unknown): unknown {
    if (typeof part === 'bigint') return `${part}n`;
    if (typeof part === 'function' || typeof part === 'symbol') return String(part);
    if (part instanceof Error) return `${part.name}: ${part.message}`;
    if (typeof part !== 'object' || part === null) return part;
    // The values before `this` in the list still contain it. Those behind it are complete.
    while (open.length > 0 && open.at(-1) !== this) open.pop();
    if (open.includes(part)) return '(circular)';
    open.push(part);
    return part;
  };
  try {
    return JSON.stringify(value, replacer, 2) ?? 'undefined';
  } catch (error) {
    return `cannot be shown: ${String(error)}`;
  }
}
