/**
 * Whether the value is a plain object of any realm. Arrays, class instances, Maps, Sets, and Dates are not plain
 * objects.
 */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

/**
 * The members of both objects. The second object takes precedence, unless its member is `undefined`. Lists are
 * copied, so that the caller cannot change them later.
 */
export function merge<T extends object>(current: T, given: { [K in keyof T]?: T[K] | undefined } = {}): T {
  const merged = { ...current } as Record<string, unknown>;
  for (const key in current) {
    const value: unknown = given[key]; // It may be inherited from a class.
    if (value !== undefined) merged[key] = Array.isArray(value) ? [...(value as unknown[])] : value;
  }
  return merged as T; // Only members of T were replaced, by members of T.
}
