// The recent-directives log: the last 1,000 records that directives have named, whether cached here or not. It
// shows whether another directive may be newer than a result, a list, or a hydrated state.

import { idKey } from '../cache/entry.ts';
import type { Env } from '../platform/env.ts';
import type { Id } from '../protocol/directive.ts';
import { DEFAULT_AUDIENCE } from '../protocol/names.ts';
import { paramsKey } from '../cache/params.ts';
import type { Leaf } from './normalize.ts';

const maxLength = 1000;

/** How a directive arrived, and how it was treated. */
export interface Arrival {
  /** Its position in the common order of requests, stale marks, and results. */
  readonly order: number;
  /** The directive arrived in a response. */
  readonly isPulled: boolean;
  /** The order of the mutation whose response contained the directive, if it is known. */
  readonly mutation: number | undefined;
  /** The inline result of the directive was pushed and cached as fresh. */
  readonly isCachedPush: boolean;
}

export interface LogEntry extends Arrival {
  readonly name: string;
  /** The key of an item or of a params set. Null: every record of the name. */
  readonly key: Id | null;
  audience: string;
  seq: number | null;
  readonly idempotencyKey: string | null;
  readonly at: number;
}

export interface Recent {
  /** Adds a directive that was applied. */
  note: (directive: Leaf, arrival: Arrival) => void;
  /**
   * Adds a copy, such as an own echo or a duplicate, which was not applied. A response without a `seq` receives
   * the `seq` of its echo (D-SRC-1). Returns the first copy.
   */
  noteCopy: (directive: Leaf, order: number) => LogEntry;
  /**
   * Whether any directive that has named the record, or may have named it, passes the test.
   * @param key null: any record of the name
   */
  some: (name: string, key: Id | null, test: (entry: LogEntry) => boolean) => boolean;
  /** Whether a directive was applied. */
  hasAny: () => boolean;
}

/** The key of the item or collection entry that a result replaces. */
export const resultKeyOf = ({ kind, id, params }: Leaf): Id =>
  kind === 'item' && id !== null ? idKey(id) : paramsKey(params);

/** Whether a directive names every item of its type, or every entry of its collection whose params contain its own. */
export const namesMany = ({ kind, id, params, mode }: Leaf): boolean =>
  kind === 'item' ? id === null : params === null || mode === 'contains';

const recordKeyOf = (directive: Leaf): Id | null => (namesMany(directive) ? null : resultKeyOf(directive));

export const audienceOf = ({ audience }: Leaf): string => audience ?? DEFAULT_AUDIENCE;

export function createRecent(env: Env): Recent {
  const log: LogEntry[] = [];
  /** The same entries by their keys, because a burst looks up each of its records. */
  const byKey = new Map<Id | null, LogEntry[]>();
  const withKey = (key: Id | null): LogEntry[] => byKey.get(key) ?? [];
  /** The last entry that was removed from the log, for each kind that the rules distinguish. It may have named any record, in any response. */
  const dropped: LogEntry[] = [];

  function add(directive: Leaf, { order, isPulled, mutation, isCachedPush }: Arrival): LogEntry {
    const { name, seq, key: idempotencyKey } = directive;
    const key = recordKeyOf(directive);
    const audience = audienceOf(directive);
    const at = env.now();
    const entry = { name, key, at, audience, seq, idempotencyKey, order, isPulled, mutation, isCachedPush };
    log.push(entry);
    const same = withKey(key);
    same.push(entry);
    byKey.set(key, same);
    if (log.length > maxLength) {
      const oldest = log.shift() as LogEntry; // It is not empty.
      const later = withKey(oldest.key);
      later.shift();
      if (later.length === 0) byKey.delete(oldest.key);
      const isKind = (one: LogEntry): boolean =>
        one.audience === oldest.audience &&
        (one.seq === null) === (oldest.seq === null) &&
        one.isPulled === oldest.isPulled;
      const known = dropped.findIndex(isKind);
      dropped[known < 0 ? dropped.length : known] = { ...oldest, mutation: undefined, idempotencyKey: null };
    }
    return entry;
  }

  const some: Recent['some'] = (name, key, test) =>
    dropped.some(test) ||
    (key === null ? log : withKey(key).concat(withKey(null))).some(
      (entry) => entry.name === name && test(entry),
    );

  const copyOf = (directive: Leaf): LogEntry | undefined =>
    withKey(recordKeyOf(directive)).find(
      ({ name, idempotencyKey }) =>
        idempotencyKey !== null && idempotencyKey === directive.key && name === directive.name,
    );

  return {
    note(directive, arrival) {
      // The echo may have arrived before the response.
      const echo = arrival.isPulled && directive.seq === null ? copyOf(directive) : undefined;
      add(echo === undefined ? directive : { ...directive, seq: echo.seq, audience: echo.audience }, arrival);
    },
    noteCopy(directive, order) {
      const first = copyOf(directive);
      if (first === undefined)
        return add(directive, { order, isPulled: false, mutation: undefined, isCachedPush: false });
      if (first.seq === null && directive.seq !== null) {
        first.seq = directive.seq;
        first.audience = audienceOf(directive);
      }
      return first;
    },
    some,
    hasAny: () => log.length > 0,
  };
}
