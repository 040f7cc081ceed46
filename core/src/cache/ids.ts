// How an item's id is found in tables (D-REG-5).

import type { Id } from '../protocol/directive.ts';

/** The longest text of a safe integer, with its sign. */
const longestInteger = 17;

/**
 * The key of an id: `42` and `"42"` have the same one. A whole number is its own key, since making a text of it on every
 * cached read would cost more than the read.
 */
export function idKey(id: Id): Id {
  if (typeof id === 'number') return Number.isSafeInteger(id) ? id : String(id);
  if (id.length > longestInteger || id.length === 0 || id.charCodeAt(0) > 57) return id; // 57: the digit 9.
  const number = Number(id);
  return Number.isSafeInteger(number) && String(number) === id ? number : id;
}
