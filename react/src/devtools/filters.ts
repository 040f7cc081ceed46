// The filters of the timeline and the requests.

import type { TimelineRecord } from './record.ts';
import { namedBy, nameOf, qidOf } from './record.ts';
import { lineOf, targetText } from './wording.ts';

export interface RecordFilter {
  /** Words to find in a line, its event, or one of its entries. */
  readonly text: string;
  /** A type or a collection; null for all. */
  readonly name: string | null;
  readonly isErrorsOnly: boolean;
}

export const noFilter: RecordFilter = { text: '', name: null, isErrorsOnly: false };

const searchable = new WeakMap<TimelineRecord, string>();

/** Records are replaced when they change, so the text of a record stays the same. */
function textOf(one: TimelineRecord): string {
  let text = searchable.get(one);
  if (text === undefined) {
    const { text: words, note } = lineOf(one);
    const entries = namedBy(one).map(targetText);
    text = [words, note, one.message.event, qidOf(one), ...entries].join(' ').toLowerCase();
    searchable.set(one, text);
  }
  return text;
}

/** The words of a search in lower case. */
export const wordsOf = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

export function matching(
  all: readonly TimelineRecord[],
  { text, name, isErrorsOnly }: RecordFilter,
): readonly TimelineRecord[] {
  const words = wordsOf(text);
  return all.filter(
    (one) =>
      (!isErrorsOnly || lineOf(one).isBad) &&
      (name === null || namedBy(one).some((target) => nameOf(target) === name)) &&
      words.every((word) => textOf(one).includes(word)),
  );
}

/** The types and collections that the records name, in alphabetical order. */
export const namesIn = (all: readonly TimelineRecord[]): string[] =>
  [...new Set(all.flatMap((one) => namedBy(one).map(nameOf)))].sort((one, other) => one.localeCompare(other));
