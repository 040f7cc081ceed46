// Deep equality and structural sharing (D-LEVEL-7). Plain objects and arrays are compared by their parts, Dates by their
// time, everything else by identity. Data with cycles runs out of depth or budget and then counts as different: a needless
// notification, never a hang.

import { isPlainObject } from '../platform/plainObject.ts';

const maxDepth = 400;
/** Pairs of objects that one comparison may look into; data that refers to itself would go on for ever. */
const maxPairs = 200_000;

let pairs = 0;

type Parts = Record<string, unknown>;
type Like = 'array' | 'object' | 'same' | 'different';

/** How a pair is compared. `array` and `object` are compared by their parts. */
function likeness(a: unknown, b: unknown): Like {
  if (Object.is(a, b)) return 'same';
  if (typeof a !== 'object' || typeof b !== 'object') return 'different';
  if (Array.isArray(a)) return Array.isArray(b) ? 'array' : 'different';
  if (isPlainObject(a)) return isPlainObject(b) ? 'object' : 'different';
  return a instanceof Date && b instanceof Date && a.getTime() === b.getTime() ? 'same' : 'different';
}

/** False when the comparison has gone too deep or on for too long. */
function mayLookInto(depth: number): boolean {
  pairs += depth > maxDepth ? maxPairs + 1 : 1;
  return pairs <= maxPairs;
}

function equal(a: unknown, b: unknown, depth: number): boolean {
  const like = likeness(a, b);
  if (like === 'same') return true;
  if (like === 'different' || !mayLookInto(depth)) return false;
  if (like === 'array') {
    const [left, right] = [a as unknown[], b as unknown[]]; // `likeness` has looked.
    if (left.length !== right.length) return false;
    for (let i = 0; i < left.length; i++) if (!equal(left[i], right[i], depth + 1)) return false;
    return true;
  }
  const [left, right] = [a as Parts, b as Parts]; // `likeness` has looked.
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(right, key) || !equal(left[key], right[key], depth + 1)) return false;
  }
  return true;
}

function shareArray(
  previous: readonly unknown[],
  next: readonly unknown[],
  depth: number,
): readonly unknown[] {
  let isSame = previous.length === next.length;
  let copy: unknown[] | undefined;
  for (let i = 0; i < next.length; i++) {
    const part = i < previous.length ? shared(previous[i], next[i], depth) : next[i];
    if (!Object.is(part, next[i])) (copy ??= next.slice())[i] = part;
    isSame &&= Object.is(part, previous[i]);
  }
  return isSame ? previous : (copy ?? next);
}

function shareObject(previous: Parts, next: Parts, depth: number): Parts {
  const keys = Object.keys(next);
  const keysBefore = Object.keys(previous);
  let isSame = keys.length === keysBefore.length;
  let copy: Parts | undefined;
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] as string; // Within its bounds.
    // Nearly always in the same order; asking an object for a key by its name is dear.
    if (key !== keysBefore[at] && !Object.hasOwn(previous, key)) {
      isSame = false;
      continue;
    }
    const before = previous[key];
    const after = next[key];
    if (Object.is(before, after)) continue;
    const part = shared(before, after, depth);
    // A spread makes own properties of all keys, so that an own `__proto__` is assigned like any other.
    if (!Object.is(part, after)) (copy ??= { ...next })[key] = part;
    isSame &&= Object.is(part, before);
  }
  return isSame ? previous : (copy ?? next);
}

function shared(previous: unknown, next: unknown, depth: number): unknown {
  const like = likeness(previous, next);
  if (like === 'same') return previous;
  if (like === 'different' || !mayLookInto(depth)) return next;
  return like === 'array'
    ? shareArray(previous as unknown[], next as unknown[], depth + 1) // `likeness` has looked.
    : shareObject(previous as Parts, next as Parts, depth + 1); // `likeness` has looked.
}

/** Whether two values are the same data. Cyclic data is only equal to itself. */
export function deepEqual(a: unknown, b: unknown): boolean {
  pairs = 0;
  return equal(a, b, 0);
}

/**
 * `next` with every part that is deeply equal to what stood in its place in `previous` taken over from there; `previous`
 * itself when nothing changed (D-LEVEL-7). `next` is not touched. Data too deep or cyclic is given back as it came.
 */
export function share<T>(previous: unknown, next: T): T {
  pairs = 0;
  let result: unknown = next;
  try {
    result = shared(previous, next, 0);
  } catch {
    // A getter that throws: the data is held as it came, and whoever reads it learns of that.
  }
  // Deeply equal to `next`, so of its type; a copy cut short would mix two graphs.
  return pairs > maxPairs ? next : (result as T);
}
