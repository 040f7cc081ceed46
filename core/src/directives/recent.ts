// The recent-directives log: the last 1,000 records that directives have named, whether cached here or not. It
// shows whether another directive may be newer than a result, a list, or a hydrated state.

import type { Env } from '../platform/env.ts';
import type { Id } from '../protocol/directive.ts';
import { audienceOf, type SequencePosition } from './metadata.ts';
import { type Leaf, namesMany } from './normalize.ts';

const maxLength = 1000;

/** How a directive arrived. */
export interface Arrival {
  /** The directive arrived in a response. */
  readonly isPulled: boolean;
  /** The order of the mutation whose response contained the directive, if it is known. */
  readonly mutation?: number | undefined;
}

export interface LogEntry extends Arrival {
  readonly name: string;
  /** The key of an item or of a params set. Null: every record of the name. */
  readonly record: Id | null;
  audience: string;
  seq: number | null;
  /** The idempotency key. */
  key: string | null;
  mutation: number | undefined;
  /** The inline result of the directive was pushed and cached as fresh. */
  readonly isCachedPush: boolean;
  /** Its position in the common order of requests, stale marks, and results. */
  readonly order: number;
  readonly at: number;
  /** The previous entry about the same record. It may have left the log. */
  older: LogEntry | undefined;
}

export interface Recent {
  /** Adds a directive that was applied. `isCached`: its inline result was cached as fresh. */
  note: (directive: Leaf, order: number, arrival: Arrival, isCached: boolean) => LogEntry;
  /**
   * Adds a copy, such as an own echo or a duplicate, which was not applied. A response without a `seq` receives
   * the `seq` of its echo (D-SRC-1). Returns the newest copy.
   */
  noteCopy: (directive: Leaf, order: number) => LogEntry;
  /**
   * Whether any directive that has named the record, or may have named it, passes the test.
   * @param record null: any record of the name
   */
  some: (name: string, record: Id | null, test: (entry: LogEntry) => boolean) => boolean;
  /** Whether a directive was applied. */
  hasAny: () => boolean;
}

const recordKeyOf = (directive: Leaf): Id | null => (namesMany(directive) ? null : directive.record);

/** A response without a `seq` receives the `seq` of its echo (D-SRC-1). */
function takeSeq(entry: LogEntry, copy: SequencePosition): void {
  if (entry.seq !== null || copy.seq === null) return;
  entry.seq = copy.seq;
  entry.audience = audienceOf(copy);
}

const isAlike = (a: LogEntry, b: LogEntry): boolean =>
  a.audience === b.audience && a.isPulled === b.isPulled && (a.seq === null) === (b.seq === null);

export function createRecent(env: Env): Recent {
  /** A ring: the next entry replaces the oldest. */
  const log: LogEntry[] = [];
  let count = 0;
  /** The newest entry of each record, because a burst looks up each of its records. */
  const byRecord = new Map<Id | null, LogEntry>();
  /** The last entry that was removed from the log, for each kind that the rules distinguish. It may have named any record, in any response. */
  const dropped: LogEntry[] = [];

  /** The newest entry about the record that passes the test. */
  function find(record: Id | null, test: (entry: LogEntry) => boolean): LogEntry | undefined {
    let entry = byRecord.get(record);
    while (entry !== undefined && !test(entry)) entry = entry.older;
    return entry;
  }

  function drop(oldest: LogEntry): void {
    if (byRecord.get(oldest.record) === oldest) byRecord.delete(oldest.record);
    oldest.older = oldest.mutation = undefined;
    oldest.key = null;
    const known = dropped.findIndex((one) => isAlike(one, oldest));
    dropped[known < 0 ? dropped.length : known] = oldest;
  }

  /** The newest copy of a directive. */
  const copyOf = (directive: Leaf): LogEntry | undefined =>
    find(
      recordKeyOf(directive),
      ({ name, key }) => key !== null && key === directive.key && name === directive.name,
    );

  const note: Recent['note'] = (directive, order, { isPulled, mutation }, isCached) => {
    const { name, seq, key } = directive;
    const record = recordKeyOf(directive);
    const audience = audienceOf(directive);
    const at = env.now();
    const older = byRecord.get(record);
    const isCachedPush = isCached && mutation === undefined;
    // A spread would take longer than the rest of the directive.
    const entry = { name, record, at, audience, seq, key, order, isPulled, mutation, isCachedPush, older };
    // Its echo may have arrived before the response.
    if (seq === null && key !== null) takeSeq(entry, copyOf(directive) ?? directive);
    const place = count++ % maxLength;
    const oldest = log[place];
    log[place] = entry;
    byRecord.set(record, entry);
    if (oldest !== undefined) drop(oldest);
    return entry;
  };

  return {
    note,
    noteCopy(directive, order) {
      const known = copyOf(directive);
      if (known === undefined) return note(directive, order, { isPulled: false }, false);
      takeSeq(known, directive);
      return known;
    },
    some(name, record, test) {
      const isFound = (entry: LogEntry): boolean => entry.name === name && test(entry);
      if (dropped.some(test)) return true;
      return record === null ? log.some(isFound) : [record, null].some((one) => find(one, isFound));
    },
    hasAny: () => log.length > 0,
  };
}
