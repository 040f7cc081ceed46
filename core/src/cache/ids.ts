// The key of an item's id in tables (D-REG-5).

import type { Id } from '../protocol/directive.ts';

/** `42` and `"42"` have the same key. */
export const idKey = (id: Id): Id => (String(Number(id)) === id ? Number(id) : id); // Numbers are faster to look up.
