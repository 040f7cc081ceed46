// The lifecycle events and commits, in order. Events of one request are one record, so that a bulk response of a
// thousand items does not displace everything else, and a request and its response are one line.

import type { DataLayer, LifecycleMessage, Target } from '@edict/core';
import { markedBy } from '@edict/core/internal';
import type { Store } from '../binding/useStore.ts';
import { createChanges } from './changes.ts';
import type { CommitMessage, Ending, Outcome, TimelineRecord } from './record.ts';
import { isIntent, nameOf, qidOf, targetOf } from './record.ts';

export interface Timeline extends Store<readonly TimelineRecord[]> {
  /** Listens to the data layer until the returned function is called. */
  readonly watch: () => () => void;
  /** Inserts the events from before `watch` that the data layer remembers at the start, once. */
  readonly recall: () => void;
  readonly clear: () => void;
}

/** The maximum number of records. */
const maxRecords = 500;
const maxTargets = 1000;
/** How far back an event looks for the record that it joins: the events of one request alternate with their companions. */
const reach = 6;
/** The shortest time between two notifications of the panel. */
const paceMs = 100;

const nowhere: readonly TimelineRecord[] = [];

/** Events with an equal key become one record. An event whose key is null has a record of its own. */
function groupOf(message: LifecycleMessage): string | null {
  const { event, detail } = message;
  if ('qid' in detail) return `${event} ${detail.qid}`;
  if (event === 'memory:evict') return `${event} ${detail.kind} ${detail.name} ${detail.reason}`;
  const target = targetOf(message);
  if (target === null || !('reason' in detail)) return null;
  return `${event} ${nameOf(target)} ${String(detail.reason)}`;
}

function outcomeOf(event: string): Outcome | null {
  const [, outcome] = /:fetch:(success|error|aborted)$/.exec(event) ?? [];
  return (outcome as Outcome | undefined) ?? null; // The expression names the outcomes.
}

/** The end of a request, after one more of its events. */
function endingAfter(
  one: TimelineRecord,
  { detail }: LifecycleMessage,
  outcome: Outcome,
  at: number,
): Ending {
  const { ending, count } = one;
  const strategy = 'strategy' in detail ? detail.strategy : count > 1 ? 'bulk' : 'direct';
  const reason = 'error' in detail ? detail.error : 'reason' in detail ? detail.reason : null;
  if (ending === null) return { at, outcome, strategy, reason };
  const isWorse = outcome === 'error' && ending.outcome !== 'error';
  const isBetter = outcome === 'success' && ending.outcome === 'aborted';
  return isWorse || isBetter ? { at, outcome, strategy, reason } : { ...ending, at };
}

export function createTimeline(dl: DataLayer): Timeline {
  const entries = createChanges(dl);
  let records: TimelineRecord[] = [];
  const groups = new WeakMap<TimelineRecord, string>();
  let lastSeq = 0;
  let recorded = 0;
  let commits = 0;
  let hasRecalled = false;
  /** The records of this turn since the last commit. */
  let causes = new Set<number>();
  let shown = nowhere;
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setTimeout> | null = null;

  function notifySoon(): void {
    if (listeners.size === 0 || timer !== null) return;
    timer = setTimeout(() => {
      timer = null;
      shown = [...records];
      for (const listener of listeners) listener();
    }, paceMs);
  }

  function append(
    list: TimelineRecord[],
    about: Partial<TimelineRecord> & Pick<TimelineRecord, 'at' | 'message'>,
  ) {
    const record = { count: 1, targets: [], marked: [], ending: null, ...about, seq: ++lastSeq };
    list.push(record);
    if (list.length > maxRecords) list.shift();
    return record;
  }

  /** Adds the end of a request to its record. Returns null if that record is gone. */
  function close(
    list: TimelineRecord[],
    message: LifecycleMessage,
    outcome: Outcome,
    at: number,
  ): number | null {
    for (let i = list.length - 1; i >= 0; i--) {
      const one = list[i];
      if (one === undefined || !isIntent(one) || !('qid' in message.detail)) continue;
      if (qidOf(one) !== message.detail.qid) continue;
      const next = { ...one, ending: endingAfter(one, message, outcome, at) };
      list[i] = next;
      groups.set(next, groups.get(one) ?? '');
      return one.seq;
    }
    return null;
  }

  function put(list: TimelineRecord[], message: LifecycleMessage, at: number): number {
    const outcome = outcomeOf(message.event);
    const closed = outcome === null ? null : close(list, message, outcome, at);
    if (closed !== null) return closed;
    const group = groupOf(message);
    const target = targetOf(message);
    const from = Math.max(0, list.length - reach);
    for (let i = list.length - 1; group !== null && i >= from; i--) {
      const old = list[i];
      if (old === undefined || groups.get(old) !== group) continue;
      // The list grows in place. Code that kept the old record may see more targets than its count, but never
      // different ones.
      if (target !== null && old.targets.length < maxTargets) (old.targets as Target[]).push(target);
      const next = { ...old, count: old.count + 1 };
      list[i] = next;
      groups.set(next, group);
      return old.seq;
    }
    const targets = target === null ? [] : [target];
    const isResync = message.event === 'sse:resync-dispatch' && list === records;
    const record = append(list, {
      at,
      message,
      // The event is emitted before the resync marks and requests the entries.
      targets: isResync ? entries.watched().targets : targets,
      marked: message.event === 'directive:processed' ? markedBy(dl, message.detail) : [],
    });
    if (group !== null) groups.set(record, group);
    return record.seq;
  }

  function record(message: LifecycleMessage): void {
    recorded += 1;
    // The record of a request contains its end.
    if (message.event.endsWith(':fetch:complete')) return;
    const seq = put(records, message, Date.now());
    // A batch is reported in the task of its events. Events that remain after that task changed nothing visible.
    if (causes.size === 0) void Promise.resolve().then(() => (causes = new Set()));
    causes.add(seq);
    notifySoon();
  }

  function commit(): void {
    const changes = entries.take();
    if (changes.length === 0) return; // Only the stream has changed, or entries were evicted.
    const detail = { number: ++commits, causes: [...causes], changes };
    const message: CommitMessage = { event: 'commit', detail };
    causes = new Set();
    append(records, { at: Date.now(), message });
    notifySoon();
  }

  return {
    watch() {
      entries.seed();
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
      for (const { at, ...message } of events.slice(0, Math.max(0, events.length - recorded)))
        if (!message.event.endsWith(':fetch:complete')) put(earlier, message as LifecycleMessage, at); // Without `at` it is the message.
      // Their numbers were assigned after those of later records. Records are sorted by number, so they get lower
      // ones.
      const first = (records[0]?.seq ?? 1) - earlier.length;
      records = [...earlier.map((one, i) => ({ ...one, seq: first + i })), ...records].slice(-maxRecords);
      shown = [...records];
    },
    clear() {
      records = [];
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
