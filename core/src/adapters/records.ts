// Stores which audiences named a record, and the sequence numbers of the results that were applied to it
// (D-DIR-9).

import { idKey } from '../cache/entry.ts';
import type { Id } from '@edict/core';
import { DEFAULT_AUDIENCE } from '../protocol/names.ts';
import type { SequencePosition } from '../directives/metadata.ts';

/** The maximum number of stored records. */
const mostRecords = 10_000;

/** The record that a directive names. All params sets of a collection are one record. */
export interface Named {
  readonly kind: 'item' | 'collection';
  readonly name: string;
  /** The id of an item. Null: all items of the type. */
  readonly id?: Id | null;
}

interface Told {
  readonly audiences: Set<string>;
  /** By level or params. */
  readonly results: Map<string, SequencePosition>;
}

export interface Records {
  /**
   * Stores that an audience named a record. Returns whether another audience has named it too. The numbers of two
   * audiences cannot be compared, and a replay contains one audience after the other.
   */
  name: (record: Named, place: SequencePosition) => boolean;
  /** Stores that a result was used for a level or for params. */
  take: (record: Named, part: unknown, place: SequencePosition) => void;
  /** Returns whether any result that was used is older than this directive, and forgets those results. */
  overtakes: (record: Named, place: SequencePosition, isOwn: boolean) => boolean;
}

const allOf = ({ kind, name }: Named): string => JSON.stringify([kind, name]);
const keyOf = (record: Named): string => {
  const { kind, name, id = null } = record;
  return id === null ? allOf(record) : JSON.stringify([kind, name, idKey(id)]);
};
const audienceOf = ({ audience }: SequencePosition): string => audience ?? DEFAULT_AUDIENCE;

/** Whether `a` is not earlier than `b`. False if they belong to different audiences, or if one has no number. */
const isNoEarlier = (a: SequencePosition, b: SequencePosition): boolean =>
  (a.seq ?? NaN) >= (b.seq ?? NaN) && audienceOf(a) === audienceOf(b);

export function createRecords(): Records {
  const audiences = new Set<string>();
  const told = new Map<string, Told>();
  let hasForgotten = false;

  function remember(key: string): Told {
    const known = told.get(key);
    if (known !== undefined) return known;
    const made: Told = { audiences: new Set(), results: new Map() };
    told.set(key, made);
    const [oldest = key] = told.keys();
    if (told.size > mostRecords) hasForgotten = told.delete(oldest);
    return made;
  }

  /** The results of the record, or of all items of its type. */
  function resultsOf(record: Named): Told['results'][] {
    const all = allOf(record).slice(0, -1);
    const isAll = record.kind === 'item' && (record.id ?? null) === null;
    const keys = isAll ? [...told.keys()].filter((key) => key.startsWith(all)) : [keyOf(record)];
    return keys.flatMap((key) => told.get(key)?.results ?? []);
  }

  const isOfOthers = (key: string, own: string): boolean =>
    [...(told.get(key)?.audiences ?? [])].some((audience) => audience !== own);

  return {
    name(record, place) {
      const key = keyOf(record);
      const own = audienceOf(place);
      audiences.add(own);
      const isForgotten = hasForgotten && audiences.size > 1 && !told.has(key);
      remember(key).audiences.add(own);
      return isForgotten || isOfOthers(key, own) || isOfOthers(allOf(record), own);
    },
    take(record, part, place) {
      remember(keyOf(record)).results.set(JSON.stringify(part ?? null), place);
    },
    overtakes(record, place, isOwn) {
      const isOlder = (result: SequencePosition): boolean =>
        !isNoEarlier(result, place) && (isOwn || isNoEarlier(place, result));
      const older = resultsOf(record).filter((results) => [...results.values()].some(isOlder));
      for (const results of older) results.clear();
      return older.length > 0;
    },
  };
}
