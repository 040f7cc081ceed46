// What happened, in order: lifecycle events and commits. Events that say the same of many entries of one request are one
// record, so that a bulk answer of a thousand items does not push everything else out.

import type { DataLayer, LifecycleMessage, LoggedEvent, Target } from '@edict/core';
import type { Store } from '../binding/useStore.ts';

/** A batch of visible changes that notified subscribers, and the records that led to it. */
export interface CommitMessage {
  readonly event: 'commit';
  readonly detail: {
    readonly number: number;
    /** The `seq` of the records since the last commit. */
    readonly causes: readonly number[];
    /** How many entries they are about. */
    readonly entries: number;
  };
}

/** One line of the timeline. Replaced, never changed, when a further event joins it. */
export interface TimelineRecord {
  /** Counts up; never used again. */
  readonly seq: number;
  /** Milliseconds since the epoch, of the first event. */
  readonly at: number;
  /** The first event of the record. */
  readonly message: LifecycleMessage | CommitMessage;
  /** The number of events in the record. */
  readonly count: number;
  /** The entries that these events are about, the first thousand. */
  readonly targets: readonly Target[];
}

export interface Timeline extends Store<readonly TimelineRecord[]> {
  /** Distinguishes it from the timelines of other data layers. */
  readonly id: number;
  /** Listens to the data layer until the returned function is called. */
  readonly watch: () => () => void;
  /** Puts what the data layer remembers from before `watch` in front, once. */
  readonly recall: () => void;
  readonly clear: () => void;
}

/** The most records that are kept. */
const maxRecords = 500;
const maxTargets = 1000;
/** How far back an event looks for the record that it joins: the events of one request alternate with their companions. */
const reach = 6;
/** The shortest time between two notifications of the panel. */
const paceMs = 100;

const nowhere: readonly TimelineRecord[] = [];

let made = 0;

/** The entry that an event is about, or null. */
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

/** Events with an equal key become one record. An event whose key is null has a record of its own. */
function groupOf(message: LifecycleMessage): string | null {
  const { event, detail } = message;
  if ('qid' in detail) return `${event} ${detail.qid}`;
  if (event === 'memory:evict') return `${event} ${detail.kind} ${detail.name} ${detail.reason}`;
  const target = targetOf(message);
  if (target === null || !('reason' in detail)) return null;
  return `${event} ${target.kind === 'item' ? target.type : target.name} ${String(detail.reason)}`;
}

/** Names an entry, whatever its level. */
export const entryKeyOf = (target: Target): string =>
  target.kind === 'item'
    ? `item ${target.type} ${target.id}`
    : `collection ${target.name} ${JSON.stringify(target.params ?? {})}`;

/** The entries that an event may have changed. */
function touchedBy(message: LifecycleMessage): readonly Target[] {
  if (message.event === 'directive:processed') {
    return [...message.detail.triggered, ...message.detail.satisfied];
  }
  const target = targetOf(message);
  return target === null || 'reason' in message.detail ? [] : [target];
}

export function createTimeline(dl: DataLayer): Timeline {
  let records: TimelineRecord[] = [];
  let groups = new WeakMap<TimelineRecord, string>();
  let lastSeq = 0;
  let recorded = 0;
  let commits = 0;
  let hasRecalled = false;
  /** The records since the last commit, of this turn. */
  let causes = new Set<number>();
  let touched = new Set<string>();
  /** Whether one of them may have changed an entry. `onChange` also reports changes of the stream and evictions. */
  let isAboutEntries = false;
  let shown = nowhere;
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setTimeout> | null = null;

  function tellSoon(): void {
    if (listeners.size === 0 || timer !== null) return;
    timer = setTimeout(() => {
      timer = null;
      shown = [...records];
      for (const listener of listeners) listener();
    }, paceMs);
  }

  function append(list: TimelineRecord[], record: TimelineRecord, group: string | null): void {
    list.push(record);
    if (group !== null) groups.set(record, group);
    if (list.length > maxRecords) list.shift();
  }

  function put(list: TimelineRecord[], message: LifecycleMessage, at: number): number {
    const group = groupOf(message);
    const target = targetOf(message);
    const from = Math.max(0, list.length - reach);
    for (let i = list.length - 1; group !== null && i >= from; i--) {
      const old = list[i];
      if (old === undefined || groups.get(old) !== group) continue;
      // The list grows in place. Code that kept the old record may see more targets than it counts, but never other ones.
      if (target !== null && old.targets.length < maxTargets) (old.targets as Target[]).push(target);
      const next = { ...old, count: old.count + 1 };
      list[i] = next;
      groups.set(next, group);
      return old.seq;
    }
    const seq = ++lastSeq;
    append(list, { seq, at, message, count: 1, targets: target === null ? [] : [target] }, group);
    return seq;
  }

  function forget(): void {
    causes = new Set();
    touched = new Set();
    isAboutEntries = false;
  }

  function record(message: LifecycleMessage): void {
    recorded += 1;
    const seq = put(records, message, Date.now());
    // A batch is reported in the task of its events. Events that remain after that task changed nothing visible.
    if (causes.size === 0) void Promise.resolve().then(forget);
    causes.add(seq);
    isAboutEntries ||= !/^(sse|memory):/.test(message.event);
    for (const target of touchedBy(message)) touched.add(entryKeyOf(target));
    tellSoon();
  }

  function commit(): void {
    if (causes.size > 0 && !isAboutEntries) return;
    const detail = { number: ++commits, causes: [...causes], entries: touched.size };
    const message: CommitMessage = { event: 'commit', detail };
    forget();
    append(records, { seq: ++lastSeq, at: Date.now(), message, count: 1, targets: [] }, null);
    tellSoon();
  }

  return {
    id: ++made,
    watch() {
      const ends = [dl.onLifecycle('*', record), dl.onChange(commit)];
      return () => {
        for (const end of ends) end();
      };
    },
    recall() {
      if (hasRecalled) return;
      hasRecalled = true;
      const { events } = dl.devtools();
      const earlier: TimelineRecord[] = [];
      const before: readonly LoggedEvent[] = events.slice(0, Math.max(0, events.length - recorded));
      for (const { at, ...message } of before) put(earlier, message as LifecycleMessage, at); // Without `at` it is the message.
      // Their numbers came later than those behind them: order is by place, so they are given lower ones.
      const first = (records[0]?.seq ?? 1) - earlier.length;
      records = [...earlier.map((one, i) => ({ ...one, seq: first + i })), ...records].slice(-maxRecords);
      shown = [...records];
    },
    clear() {
      records = [];
      groups = new WeakMap();
      shown = nowhere;
      for (const listener of listeners) listener();
    },
    subscribe(callback) {
      listeners.add(callback);
      shown = [...records];
      callback();
      return () => {
        listeners.delete(callback);
        if (listeners.size > 0 || timer === null) return;
        clearTimeout(timer);
        timer = null;
      };
    },
    getSnapshot: () => shown,
    getServerSnapshot: () => nowhere,
  };
}
