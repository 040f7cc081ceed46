// Stores the sequence numbers of the inline results that were used, by record (D-DIR-9).

import { idKey } from '../cache/entry.ts';
import type { Id } from '@edict/core';
import { audienceOf, type SequencePosition } from '../directives/metadata.ts';

/** The maximum number of stored records. */
const mostRecords = 10_000;

/** The record that a directive names. All params sets of a collection are one record. */
export interface Named {
  readonly kind: 'item' | 'collection';
  readonly name: string;
  /** The id of an item. Null: all items of the type. */
  readonly id?: Id | null;
}

/** The results of one record, by level or params. */
type Results = Map<string, SequencePosition>;

export interface Records {
  /** Stores that a result was used for a level or for params. */
  noteUsed: (record: Named, part: unknown, position: SequencePosition) => void;
  /** Returns whether any result that was used is older than this directive, and forgets those results. */
  overtakes: (record: Named, position: SequencePosition, isOwn: boolean) => boolean;
}

const allOf = ({ kind, name }: Named): string => JSON.stringify([kind, name]);
const keyOf = (record: Named): string => {
  const { kind, name, id = null } = record;
  return id === null ? allOf(record) : JSON.stringify([kind, name, idKey(id)]);
};

/** Whether `a` is not earlier than `b`. False if they belong to different audiences, or if one has no number. */
const isNoEarlier = (a: SequencePosition, b: SequencePosition): boolean =>
  (a.seq ?? NaN) >= (b.seq ?? NaN) && audienceOf(a) === audienceOf(b);

export function createRecords(): Records {
  const used = new Map<string, Results>();

  /** The results of the record, or of all items of its type. */
  function resultsOf(record: Named): Results[] {
    const all = allOf(record).slice(0, -1);
    const isAll = record.kind === 'item' && (record.id ?? null) === null;
    const keys = isAll ? [...used.keys()].filter((key) => key.startsWith(all)) : [keyOf(record)];
    return keys.flatMap((key) => used.get(key) ?? []);
  }

  return {
    noteUsed(record, part, position) {
      const key = keyOf(record);
      const results: Results = used.get(key) ?? new Map();
      used.set(key, results.set(JSON.stringify(part ?? null), position));
      const [oldest = key] = used.keys();
      if (used.size > mostRecords) used.delete(oldest);
    },
    overtakes(record, position, isOwn) {
      const isOlder = (result: SequencePosition): boolean =>
        !isNoEarlier(result, position) && (isOwn || isNoEarlier(position, result));
      const older = resultsOf(record).filter((results) => [...results.values()].some(isOlder));
      for (const results of older) results.clear();
      return older.length > 0;
    },
  };
}
