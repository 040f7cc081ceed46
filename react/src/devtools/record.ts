// The lines of the timeline as plain data, so that a session can be saved and opened again.

import type { LifecycleMessage, Target } from '@edict/core';

/** The change of an entry in a commit. `same`: a request ended, and its response equals the cached data. */
export type ChangeKind = 'data' | 'error' | 'loading' | 'stale' | 'same';

/** One entry that a commit changed. */
export interface EntryChange {
  /** The kind, the name, and the id or `paramsKey`, as in a line of the cache. */
  readonly key: string;
  readonly target: Target;
  readonly kind: ChangeKind;
  /** The data before and after. Present for the first changes of a commit whose kind is `data`. */
  readonly data?: { readonly before: unknown; readonly after: unknown };
}

/** A batch of visible changes that notified subscribers, and the records that caused it. */
export interface CommitMessage {
  readonly event: 'commit';
  readonly detail: {
    readonly number: number;
    /** The `seq` of the records since the last commit. */
    readonly causes: readonly number[];
    readonly changes: readonly EntryChange[];
  };
}

export type Outcome = 'success' | 'error' | 'aborted';

/** How a request ended. */
export interface Ending {
  /** The time of the last event, in milliseconds since the epoch. */
  readonly at: number;
  /** A batch counts as failed if any part of it failed. */
  readonly outcome: Outcome;
  readonly strategy: 'direct' | 'bulk' | null;
  /** The first error, or the reason for the abort. */
  readonly reason: unknown;
}

/** One line of the timeline. It is replaced, never modified, when a further event joins it. */
export interface TimelineRecord {
  /** An increasing number that is never reused. */
  readonly seq: number;
  /** The time of the first event, in milliseconds since the epoch. */
  readonly at: number;
  /** The first event of the record. */
  readonly message: LifecycleMessage | CommitMessage;
  /** The number of events in the record. */
  readonly count: number;
  /** The first thousand entries that these events name. For a resync, the watched entries, which it refetches. */
  readonly targets: readonly Target[];
  /** The entries that a directive marked stale without requesting them. */
  readonly marked: readonly Target[];
  /** The outcome of a request that has ended. The response has no separate line. */
  readonly ending: Ending | null;
}

/** The record of one kind of event. */
export type Of<E extends (LifecycleMessage | CommitMessage)['event']> = TimelineRecord & {
  readonly message: Extract<LifecycleMessage | CommitMessage, { event: E }>;
};

export type Handled = Of<'directive:processed' | 'directive:skipped' | 'directive:rejected'>;
export type Intent = Of<'item:fetch:intent' | 'collection:fetch:intent'>;
export type ResyncStep = Of<'sse:gap' | 'sse:resync-scheduled' | 'sse:resync-dispatch'>;

/** Returns a function that tests whether a record is of this kind. */
export const is =
  <E extends TimelineRecord['message']['event']>(event: E) =>
  (one: TimelineRecord): one is Of<E> =>
    one.message.event === event;

export const isReceived = (one: TimelineRecord): one is Of<'directive:received'> =>
  one.message.event === 'directive:received';

export const isCommit = (one: TimelineRecord): one is Of<'commit'> => one.message.event === 'commit';

/** Whether the record describes the effects of one directive. */
export const isHandled = (one: TimelineRecord): one is Handled =>
  /^directive:(processed|skipped|rejected)$/.test(one.message.event);

export const isIntent = (one: TimelineRecord): one is Intent => one.message.event.endsWith(':fetch:intent');

/** Whether the record is a step of a resync. */
export const isResyncStep = (one: TimelineRecord): one is ResyncStep =>
  /^sse:(gap|resync-scheduled|resync-dispatch)$/.test(one.message.event);

/** The query id of a request, or null. */
export const qidOf = ({ message: { detail } }: TimelineRecord): string | null =>
  'qid' in detail ? detail.qid : null;

/** The entry that an event names, or null. */
export function targetOf({ event, detail }: LifecycleMessage): Target | null {
  if (!/^(item|collection):/.test(event)) return null;
  // Every event of a read or a request names its entry (document §6.2).
  const about = detail as {
    type?: string;
    id?: string | number;
    level?: string;
    name?: string;
    params?: object;
  };
  return about.type === undefined
    ? { kind: 'collection', name: about.name ?? '', params: about.params }
    : { kind: 'item', type: about.type, id: about.id ?? '', level: about.level ?? 'default' };
}

/** The type of an item, or the name of a collection. */
export const nameOf = (target: Target): string => (target.kind === 'item' ? target.type : target.name);

/** Names an entry, whatever its level. */
export const entryKeyOf = (target: Target): string =>
  target.kind === 'item'
    ? `item ${target.type} ${target.id}`
    : `collection ${target.name} ${JSON.stringify(target.params ?? {})}`;

/** Every entry that a record names. */
export function namedBy({ message, targets, marked }: TimelineRecord): readonly Target[] {
  if (message.event === 'commit') return message.detail.changes.map(({ target }) => target);
  if (message.event !== 'directive:processed') return targets;
  return [...message.detail.triggered, ...message.detail.satisfied, ...marked];
}
