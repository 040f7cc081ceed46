// Deep equality and structural sharing (D-LEVEL-7). Plain objects and arrays are compared by their parts, Dates by their time, everything
// else by identity.

import { isPlainObject } from '../platform/plainObject.ts';

type Parts = Record<string, unknown>;

function shared(previous: unknown, next: unknown): unknown {
  if (Object.is(previous, next)) return previous;
  if (previous instanceof Date && next instanceof Date && previous.getTime() === next.getTime())
    return previous;
  const isList = Array.isArray(next);
  if (isList ? !Array.isArray(previous) : !isPlainObject(previous) || !isPlainObject(next)) return next;
  const [before, after] = [previous as Parts, next as Parts]; // Both are lists, or both are plain objects.
  const keys = Object.keys(after);
  let isSame = keys.length === Object.keys(before).length;
  let copy: Parts | undefined;
  for (const key of keys) {
    const value = after[key];
    const isKnown = Object.hasOwn(before, key);
    const part = isKnown ? shared(before[key], value) : value;
    isSame &&= isKnown && Object.is(part, before[key]);
    // A spread creates an own `__proto__` like any other key. The assignment therefore does not change a
    // prototype.
    if (!Object.is(part, value)) (copy ??= (isList ? [...next] : { ...after }) as Parts)[key] = part;
  }
  return isSame ? previous : (copy ?? next);
}

/**
 * Returns `next`, in which every part that is deeply equal to its counterpart in `previous` is replaced by that
 * counterpart. Returns `previous` itself if nothing changed. `next` is not modified. Data with cycles, or data
 * that is too deep for the stack, is returned unchanged.
 */
export function share<T>(previous: unknown, next: T): T {
  try {
    return shared(previous, next) as T; // Deeply equal to `next`.
  } catch {
    return next; // The stack overflowed, or a getter of the application threw.
  }
}

/** Whether two values are the same data. Data with cycles is only equal to itself. */
export const deepEqual = (a: unknown, b: unknown): boolean => Object.is(share(a, b), a);
