// The cache as plain JSON (D-REACT-10). It contains ages instead of clock times, because the clocks of two
// machines differ.

import type { Entry, Slot } from '../cache/entry.ts';
import type { DataLayer } from '@edict/core';
import { partsOf } from './parts.ts';
import type { Check, Checks } from '../config/checks.ts';
import { check, isText, must, mustHave } from '../config/checks.ts';
import { isSeq } from '../stream/readEnvelope.ts';
import { isPlainObject } from '../platform/plainObject.ts';
import { isMarked } from '../cache/staleness.ts';
import type { Cursor, DehydratedCollection, DehydratedItem, DehydratedState } from './types.ts';
import type { CollectionData } from '../types/references.ts';

/**
 * Returns a plain JSON copy, so that changes to the state do not affect the cache. Throws for a value without a
 * JSON form.
 */
const plain = (payload: unknown): unknown => JSON.parse(JSON.stringify(payload));

/** Sorted oldest first. Levels that share a payload are listed together, so that the payload is included once. */
function payloadsOf(entry: Entry, now: number): DehydratedItem['payloads'] {
  const groups: { first: Slot; levels: string[] }[] = [];
  for (const slot of entry.slots) {
    if (slot.fetchedAt === null) continue;
    const group = groups.find(
      ({ first }) =>
        first.payload === slot.payload &&
        first.fetchedAt === slot.fetchedAt &&
        isMarked(first) === isMarked(slot),
    );
    if (group === undefined) groups.push({ first: slot, levels: [slot.level] });
    else group.levels.push(slot.level);
  }
  return groups
    .sort((a, b) => a.first.answeredOrder - b.first.answeredOrder)
    .map(({ first, levels }) => ({
      levels,
      data: plain(first.payload),
      ageMs: now - (first.fetchedAt ?? now),
      ...(isMarked(first) ? { stale: true } : null),
    }));
}

/** A collection has one payload, which was accepted as its data. */
function collectionOf(
  { def, params }: Entry,
  payload: DehydratedItem['payloads'][number],
): DehydratedCollection {
  const { levels: _, data, ...age } = payload;
  return {
    name: def.name,
    ...(params === undefined ? null : { params: plain(params) as object }), // Params are objects.
    ...(data as CollectionData),
    ...age,
  };
}

export const isCursor: Check<Cursor> = /* @__PURE__ */ check(
  'be { audience, seq }',
  (one) => isPlainObject(one) && isText(one['audience']) && isSeq(one['seq']),
);

const dehydrateChecks: Checks = {
  cursors: /* @__PURE__ */ check('be a list of { audience, seq }', (value) => Array.isArray(value)),
};

/**
 * Returns what is cached as plain JSON. Escape it before you embed it in HTML (`escapeState`). Entries whose data has no JSON form are left out,
 * with a warning. Throws a `TypeError` that names a wrong option.
 *
 * @param options `cursors`: the hub's position per audience (`hub.cursor()`), read before the data was fetched. Changes after it are replayed
 * to the client that hydrates the state. Default: none
 */
export function dehydrate(
  dl: DataLayer,
  options: { cursors?: readonly Cursor[] | undefined } = {},
): DehydratedState {
  const { env, registry } = partsOf(dl, 'dehydrate');
  mustHave('dehydrate: the options', dehydrateChecks, options, 'dehydrate: ');
  const { cursors = [] } = options;
  cursors.forEach((cursor, at) => must(`dehydrate: cursors[${at}]`, isCursor, cursor));
  const now = env.now();
  const items: DehydratedItem[] = [];
  const collections: DehydratedCollection[] = [];
  for (const entry of registry.entries()) {
    const { def, id } = entry;
    try {
      const payloads = payloadsOf(entry, now);
      const [only] = payloads;
      if (only === undefined) continue; // Never fetched.
      if (def.kind === 'item') items.push({ type: def.name, id, payloads });
      else collections.push(collectionOf(entry, only));
    } catch (error) {
      // Only the data of an item can lack a JSON form: lists are ids, and params have one.
      env.log('warn', 'left out of a dehydrated state: it has no JSON form', { type: def.name, id, error });
    }
  }
  return { v: 1, items, collections, cursors: cursors.map(({ audience, seq }) => ({ audience, seq })) };
}
