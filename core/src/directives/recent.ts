// The recent-directives log: the last 1,000 records that directives have named, cached here or not. The rules ask it whether a result may be
// older than another directive, and whether a hydrated state may be.

import type { Env } from '../platform/env.ts';
import type { Id } from '../protocol/directive.ts';
import { DEFAULT_AUDIENCE } from '../protocol/names.ts';
import { idKey } from '../cache/ids.ts';
import { paramsKey } from '../cache/params.ts';
import type { Leaf } from './normalize.ts';

const maxLength = 1000;
/** One change may reach two audiences, or a response and the stream, with this much time in between. */
const apartMs = 10_000;

/** The key of an item or of a params set. Null: every record of the name. */
type RecordKey = Id | null;

/** How a directive arrived, and what became of it. */
export interface Arrival {
  /** In the one order of requests, stale marks, and results. */
  readonly order: number;
  /** The directive arrived in a response. */
  readonly isPulled: boolean;
  /** The order of the mutation whose response contained the directive, if it is known. */
  readonly mutation: number | undefined;
  /** Its result was pushed, and was cached as fresh. */
  readonly isCachedPush: boolean;
}

interface LogEntry extends Arrival {
  readonly name: string;
  readonly key: RecordKey;
  audience: string;
  seq: number | null;
  readonly idempotencyKey: string | null;
  readonly at: number;
}

export interface Recent {
  /** Adds a directive that was applied. */
  note: (directive: Leaf, arrival: Arrival) => void;
  /** Adds a further copy of a directive: an own echo, or a duplicate. A response without a `seq` receives that of its echo (D-SRC-1). */
  noteCopy: (directive: Leaf, order: number) => void;
  /** Whether a directive has named the record lately whose position beside this one is unknown (D-DIR-9). */
  isNamedApart: (directive: Leaf) => boolean;
  /** Whether another directive has named the record since this mutation was sent (D-FETCH-3). */
  isNamedSince: (directive: Leaf, mutation: number) => boolean;
  /** The order of the last directive, after the given order, that has or may have named an item of the type; 0 if there is none. */
  lastNamedSince: (type: string, order: number) => (key: Id) => number;
  /** Whether a pushed result of the record was cached since the directive with this key arrived in a response (D-SRC-1). */
  isOvertaken: (directive: Leaf) => boolean;
  /**
   * Whether a directive has, or may have, named the record after these cursors. A directive without a `seq`, or of an audience without a
   * cursor, is compared by time instead.
   * @param since the time from which on such a directive counts
   */
  isNamedAfter: (name: string, key: Id, cursors: ReadonlyMap<string, number>, since: number) => boolean;
  /** Whether a directive has, or may have, named the record since this time. */
  isNamedSinceTime: (name: string, key: Id, since: number) => boolean;
  /** Whether a directive was applied. */
  hasAny: () => boolean;
}

/** The key of the item or of the collection entry that a result replaces. */
export const resultKeyOf = ({ kind, id, params }: Leaf): Id =>
  kind === 'item' && id !== null ? idKey(id) : paramsKey(params);

/** Whether a directive names every item of its type, or every entry of its collection whose params contain its own. */
export const namesMany = ({ kind, id, params, mode }: Leaf): boolean =>
  kind === 'item' ? id === null : params === null || mode === 'contains';

const recordKeyOf = (directive: Leaf): RecordKey => (namesMany(directive) ? null : resultKeyOf(directive));

export function createRecent(env: Env): Recent {
  const log: LogEntry[] = [];
  /** The order of the last entry that left the log, and the last one of each kind that `isApart` distinguishes. */
  let droppedOrder = 0;
  const dropped: LogEntry[] = [];

  function add(
    directive: Leaf,
    arrival: Arrival,
    place: { audience: string | null; seq: number | null },
  ): void {
    log.push({
      name: directive.name,
      key: recordKeyOf(directive),
      audience: place.audience ?? DEFAULT_AUDIENCE,
      seq: place.seq,
      idempotencyKey: directive.key,
      at: env.now(),
      ...arrival,
    });
    if (log.length <= maxLength) return;
    const oldest = log.shift() as LogEntry; // It is not empty.
    droppedOrder = oldest.order;
    const known = dropped.findIndex(
      ({ audience, seq, isPulled }) =>
        audience === oldest.audience &&
        (seq === null) === (oldest.seq === null) &&
        isPulled === oldest.isPulled,
    );
    dropped[known < 0 ? dropped.length : known] = oldest;
  }

  const names = (entry: LogEntry, name: string, key: RecordKey): boolean =>
    entry.name === name && (key === null || entry.key === null || entry.key === key);

  /** Entries that left the log may have named any record. */
  const some = (name: string, key: RecordKey, test: (entry: LogEntry) => boolean): boolean =>
    dropped.some(test) || log.some((entry) => names(entry, name, key) && test(entry));

  const copyOf = (directive: Leaf): LogEntry | undefined => {
    const { name, key } = directive;
    if (key === null) return undefined;
    const record = recordKeyOf(directive);
    return log.find((entry) => entry.idempotencyKey === key && entry.name === name && entry.key === record);
  };

  return {
    note(directive, arrival) {
      // The echo may have arrived before the response.
      const echo = arrival.isPulled && directive.seq === null ? copyOf(directive) : undefined;
      add(directive, arrival, echo ?? directive);
    },
    noteCopy(directive, order) {
      const known = copyOf(directive);
      const audience = directive.audience ?? DEFAULT_AUDIENCE;
      if (known?.seq === null && directive.seq !== null) {
        known.seq = directive.seq;
        known.audience = audience;
      } else if (known?.audience !== audience) {
        // A copy is as old as the first one.
        const first = known?.order ?? order;
        add(
          directive,
          { order: first, isPulled: false, mutation: undefined, isCachedPush: false },
          directive,
        );
      }
    },
    isNamedApart(directive) {
      const since = env.now() - apartMs;
      const audience = directive.audience ?? DEFAULT_AUDIENCE;
      // Where nothing has a `seq`, pushed directives arrive in their order. A response does not.
      const isApart = (entry: LogEntry): boolean =>
        entry.audience !== audience || (entry.seq === null && (directive.seq !== null || entry.isPulled));
      return some(directive.name, resultKeyOf(directive), (entry) => entry.at > since && isApart(entry));
    },
    isNamedSince(directive, mutation) {
      const key = resultKeyOf(directive);
      const isOther = (entry: LogEntry): boolean =>
        entry.mutation !== mutation && (directive.key === null || entry.idempotencyKey !== directive.key);
      return (
        droppedOrder > mutation ||
        log.some((entry) => entry.order > mutation && names(entry, directive.name, key) && isOther(entry))
      );
    },
    lastNamedSince(type, since) {
      const named = log.filter(({ name, order }) => name === type && order > since);
      return (key) =>
        named.reduce(
          (last, entry) => (names(entry, type, key) ? Math.max(last, entry.order) : last),
          droppedOrder > since ? droppedOrder : 0,
        );
    },
    isOvertaken(directive) {
      const first = copyOf(directive);
      if (first?.isPulled !== true) return false;
      return log.some(
        (entry) =>
          names(entry, first.name, first.key) &&
          entry.isCachedPush &&
          entry.order > first.order &&
          entry.idempotencyKey !== first.idempotencyKey,
      );
    },
    isNamedAfter: (name, key, cursors, since) =>
      some(name, key, ({ audience, seq, at }) => {
        const cursor = cursors.get(audience);
        return seq === null || cursor === undefined ? at > since : seq > cursor;
      }),
    isNamedSinceTime: (name, key, since) => some(name, key, ({ at }) => at > since),
    hasAny: () => log.length > 0,
  };
}
