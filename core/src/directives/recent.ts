// The recent-directives log: the last 1,000 records that directives have named, cached here or not. It answers every question about the
// past: may a result be older than another directive, and may a hydrated state be older than a directive?

import type { Env } from '../platform/env.ts';
import type { Id } from '../protocol/directive.ts';
import { DEFAULT_AUDIENCE } from '../protocol/names.ts';
import { idKey } from '../cache/ids.ts';
import { paramsKey } from '../cache/params.ts';
import type { Metadata } from './metadata.ts';
import type { Leaf } from './normalize.ts';

const maxLength = 1000;
/** One change may reach two audiences, or a response and the stream, with this much time in between. */
const apartMs = 10_000;

/** The key of an item or of a params set. Null: every record of the name. */
type RecordKey = Id | null;

export interface LogEntry {
  readonly name: string;
  readonly key: RecordKey;
  audience: string;
  seq: number | null;
  readonly idempotencyKey: string | null;
  readonly at: number;
  /** In the one order of requests, stale marks, and results. */
  readonly order: number;
  /** The order of the mutation whose response contained the directive. */
  readonly mutation: number | undefined;
  /** The directive arrived in a response. */
  readonly isPulled: boolean;
  /** Its result was pushed, and was cached as fresh. */
  readonly isCachedPush: boolean;
}

/** How a directive arrived, and what became of it. */
export interface Arrival {
  readonly order: number;
  readonly isPulled: boolean;
  readonly isCachedPush: boolean;
}

export interface Recent {
  /** Adds a directive that was applied. */
  note: (directive: Leaf, metadata: Metadata, arrival: Arrival) => void;
  /** Adds a further copy of a directive: an own echo, or a duplicate. A response without a `seq` receives that of its echo (D-SRC-1). */
  noteCopy: (directive: Leaf, metadata: Metadata, order: number) => void;
  /** Whether a response contained the directive with this key. */
  wasPulled: (key: string) => boolean;
  /** Whether a directive has named the record lately whose position beside this one is unknown (D-DIR-9). */
  isNamedApart: (directive: Leaf, metadata: Metadata) => boolean;
  /** Whether another directive has named the record since this mutation was sent (D-FETCH-3). */
  isNamedSince: (directive: Leaf, metadata: Metadata, mutation: number) => boolean;
  /** The order of the last directive, after the given order, that has or may have named an item of the type; 0 if there is none. */
  lastNamedSince: (type: string, order: number) => (key: Id) => number;
  /** Whether a pushed result of the record was cached since the directive with this key arrived in a response (D-SRC-1). */
  isOvertaken: (directive: Leaf, key: string | null) => boolean;
  /**
   * Whether a directive has named the record after these cursors. A directive without a `seq` is compared by time instead.
   * @param since the time from which on a directive without a `seq` counts
   */
  isNamedAfter: (name: string, key: Id, cursors: ReadonlyMap<string, number>, since: number) => boolean;
  /** Whether a directive has, or may have, named the record since this time. */
  isNamedSinceTime: (name: string, key: Id, since: number) => boolean;
  /** Whether a directive was applied. */
  hasAny: () => boolean;
}

const recordKeyOf = (directive: Leaf): RecordKey => {
  if (directive.kind === 'item') return directive.id === null ? null : idKey(directive.id);
  return directive.params === null || directive.mode === 'contains' ? null : paramsKey(directive.params);
};

/** The record that a result replaces: without params, that is the entry without params. */
const resultKeyOf = (directive: Leaf): RecordKey =>
  directive.kind === 'item' ? recordKeyOf(directive) : paramsKey(directive.params);

/** @param onDrop called with each entry that leaves the log */
export function createRecent(env: Env, onDrop: (entry: LogEntry) => void): Recent {
  const log: LogEntry[] = [];
  /** The newest entry that left the log, and the newest one of those that cannot be ordered beside an audience. */
  let dropped: LogEntry | null = null;
  const droppedAt = new Map<string, number>();
  let droppedUnnumberedAt = -Infinity;

  function add(entry: LogEntry): void {
    log.push(entry);
    if (log.length <= maxLength) return;
    dropped = log.shift() as LogEntry; // It is not empty.
    droppedAt.set(dropped.audience, dropped.at);
    if (dropped.seq === null) droppedUnnumberedAt = dropped.at;
    onDrop(dropped);
  }

  const some = (name: string, key: RecordKey, test: (entry: LogEntry) => boolean): boolean =>
    log.some(
      (entry) =>
        entry.name === name && (key === null || entry.key === null || entry.key === key) && test(entry),
    );

  const copyOf = (directive: Leaf, key: string | null): LogEntry | undefined =>
    key === null
      ? undefined
      : log.find(
          (entry) =>
            entry.idempotencyKey === key &&
            entry.name === directive.name &&
            entry.key === recordKeyOf(directive),
        );

  function isApart(entry: LogEntry, { audience, seq }: Metadata): boolean {
    if (entry.audience !== (audience ?? DEFAULT_AUDIENCE)) return true;
    // Where nothing has a `seq`, pushed directives come in their order. A response comes in none.
    return entry.seq === null && (seq !== null || entry.isPulled);
  }

  const entryOf = (
    directive: Leaf,
    { audience, seq, key, requested }: Metadata,
    arrival: Arrival,
  ): LogEntry => ({
    name: directive.name,
    key: recordKeyOf(directive),
    audience: audience ?? DEFAULT_AUDIENCE,
    seq,
    idempotencyKey: key,
    at: env.now(),
    mutation: requested,
    ...arrival,
  });

  return {
    note(directive, metadata, arrival) {
      // The echo may have arrived before the response.
      const echo = arrival.isPulled && metadata.seq === null ? copyOf(directive, metadata.key) : undefined;
      const place = echo === undefined ? null : { audience: echo.audience, seq: echo.seq };
      add(entryOf(directive, { ...metadata, ...place }, arrival));
    },
    noteCopy(directive, metadata, order) {
      const known = copyOf(directive, metadata.key);
      const audience = metadata.audience ?? DEFAULT_AUDIENCE;
      if (known?.seq === null && metadata.seq !== null) {
        known.seq = metadata.seq;
        known.audience = audience;
      } else if (known?.audience !== audience) {
        // A copy is as old as the first one.
        const arrival = { order: known?.order ?? order, isPulled: false, isCachedPush: false };
        add(entryOf(directive, metadata, arrival));
      }
    },
    wasPulled: (key) => log.some((entry) => entry.isPulled && entry.idempotencyKey === key),
    isNamedApart(directive, metadata) {
      const since = env.now() - apartMs;
      if (droppedUnnumberedAt > since && metadata.seq !== null) return true;
      for (const [audience, at] of droppedAt)
        if (at > since && audience !== (metadata.audience ?? DEFAULT_AUDIENCE)) return true;
      return some(
        directive.name,
        resultKeyOf(directive),
        (entry) => entry.at > since && isApart(entry, metadata),
      );
    },
    isNamedSince: (directive, { key }, mutation) =>
      (dropped?.order ?? 0) > mutation ||
      some(
        directive.name,
        resultKeyOf(directive),
        (entry) =>
          entry.order > mutation &&
          entry.mutation !== mutation &&
          (key === null || entry.idempotencyKey !== key),
      ),
    lastNamedSince(type, since) {
      const orders = new Map<RecordKey, number>();
      for (const { name, key, order } of log)
        if (name === type && order > since) orders.set(key, Math.max(order, orders.get(key) ?? 0));
      const droppedOrder = dropped !== null && dropped.order > since ? dropped.order : 0;
      const orderOfAny = Math.max(droppedOrder, orders.get(null) ?? 0);
      return (key) => Math.max(orderOfAny, orders.get(key) ?? 0);
    },
    isOvertaken(directive, key) {
      const pulled = copyOf(directive, key);
      return (
        pulled?.isPulled === true &&
        some(
          directive.name,
          recordKeyOf(directive),
          (entry) => entry.isCachedPush && entry.order > pulled.order && entry.idempotencyKey !== key,
        )
      );
    },
    isNamedAfter: (name, key, cursors, since) =>
      droppedUnnumberedAt > since ||
      some(name, key, ({ audience, seq, at }) =>
        seq === null ? at > since : seq > (cursors.get(audience) ?? -Infinity),
      ),
    isNamedSinceTime: (name, key, since) =>
      (dropped?.at ?? -Infinity) > since || some(name, key, ({ at }) => at > since),
    hasAny: () => log.length > 0,
  };
}
