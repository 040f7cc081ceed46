// Nested directives that were not validated yet.

import { maxDirectives } from '../directives/normalize.ts';

/** The targets of a wrapper, or none for any other value. */
export function targetsOf(directive: unknown): readonly unknown[] {
  try {
    const { op, targets } = Object(directive) as { op?: unknown; targets?: unknown };
    return op === 'invalidate' && Array.isArray(targets) ? targets : [];
  } catch {
    return []; // A getter throws. What reads the directive reports it.
  }
}

/** The number of directives in a list, including nested ones. Stops counting above `maxDirectives`. */
export function countDirectives(list: readonly unknown[]): number {
  let count = 0;
  const lists = [list];
  // The list grows during the loop. Each list is counted before the loop reaches it, so the limit also bounds the
  // loop.
  for (const one of lists) {
    count += one.length;
    if (count > maxDirectives) return maxDirectives + 1;
    for (const directive of one) lists.push(targetsOf(directive));
  }
  return count;
}
