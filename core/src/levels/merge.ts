// The data of an item: the shallow merge of the payloads of its levels, in the order of their requests (D-LEVEL-1).

import type { Slot } from '../cache/entry.ts';
import { isPlainObject } from '../platform/plainObject.ts';

export function mergePayloads(slots: readonly Slot[]): unknown {
  // Most items have one level, and are read whenever they change.
  const [only] = slots;
  if (only !== undefined && slots.length === 1) return only.payload;
  return [...slots]
    .sort((a, b) => a.answeredOrder - b.answeredOrder) // Levels without a payload come first.
    .reduce<unknown>((below, { payload: above }) => {
      if (below === above || !isPlainObject(below) || !isPlainObject(above)) return above;
      return { ...below, ...above };
    }, null);
}
