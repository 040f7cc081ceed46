// The causal view. It derives the effects of one directive from the timeline.

import type { LifecycleMessage, Target } from '@edict/core';
import { markedBy } from '@edict/core/internal';
import type { CommitMessage, TimelineRecord } from './timeline.ts';
import { entryKeyOf } from './timeline.ts';

/** A request that a directive led to. */
export interface TracedRequest {
  readonly qid: string;
  readonly begun: TimelineRecord;
  /** How it ended. Null while it runs. */
  readonly ended: TimelineRecord | null;
  readonly outcome: 'under way' | 'success' | 'error' | 'aborted';
  readonly strategy: 'direct' | 'bulk' | null;
}

/** A commit that a directive led to. */
export interface TracedCommit {
  readonly record: TimelineRecord;
  readonly number: number;
  /** What became visible: the loading state, or the result. */
  readonly shows: 'data' | 'loading' | 'stale';
}

/** The effects of one directive. */
export interface Trace {
  /** The delivery that contained it. Null when the timeline has dropped it. */
  readonly received: TimelineRecord | null;
  readonly triggered: readonly Target[];
  readonly satisfied: readonly Target[];
  /** Entries that were only marked stale. They are fetched when they are read again. */
  readonly marked: readonly Target[];
  readonly requests: readonly TracedRequest[];
  readonly commits: readonly TracedCommit[];
}

/** The record of one kind of event. */
export type Of<E extends (LifecycleMessage | CommitMessage)['event']> = TimelineRecord & {
  readonly message: Extract<LifecycleMessage | CommitMessage, { event: E }>;
};

export type Judged = Of<'directive:processed' | 'directive:skipped' | 'directive:rejected'>;

export const isReceived = (one: TimelineRecord): one is Of<'directive:received'> =>
  one.message.event === 'directive:received';

/** Whether the record describes the effects of one directive. */
export const isJudged = (one: TimelineRecord): one is Judged =>
  one.message.event === 'directive:processed' ||
  one.message.event === 'directive:skipped' ||
  one.message.event === 'directive:rejected';

const isIntent = (one: TimelineRecord): one is Of<'item:fetch:intent' | 'collection:fetch:intent'> =>
  one.message.event.endsWith(':fetch:intent');

const endings = {
  ':fetch:success': 'success',
  ':fetch:error': 'error',
  ':fetch:aborted': 'aborted',
} as const;

function endingOf({ message: { event } }: TimelineRecord): TracedRequest['outcome'] | null {
  for (const [suffix, outcome] of Object.entries(endings)) if (event.endsWith(suffix)) return outcome;
  return null;
}

/** The query id of a request's event, or null. */
export function qidOf({ message: { detail } }: TimelineRecord): string | null {
  return 'qid' in detail ? detail.qid : null;
}

/** The directives in a wrapper, at any depth, and itself. */
function* within(directive: unknown): Generator {
  yield directive;
  if (typeof directive !== 'object' || directive === null || !('targets' in directive)) return;
  if (Array.isArray(directive.targets)) for (const target of directive.targets) yield* within(target);
}

/** The delivery that contained a directive, or null. */
export function deliveryOf(all: readonly TimelineRecord[], judged: Judged): Of<'directive:received'> | null {
  const { directive } = judged.message.detail;
  for (let i = all.length - 1; i >= 0; i--) {
    const one = all[i];
    if (one === undefined || one.seq > judged.seq || !isReceived(one)) continue;
    for (const each of one.message.detail.directives)
      for (const inner of within(each)) if (inner === directive) return one;
  }
  return null;
}

/** What became of each directive of a delivery. */
export function judgedOf(all: readonly TimelineRecord[], received: Of<'directive:received'>): Judged[] {
  const inside = new Set(received.message.detail.directives.flatMap((each) => [...within(each)]));
  return all.filter(
    (one): one is Judged =>
      one.seq > received.seq && isJudged(one) && inside.has(one.message.detail.directive),
  );
}

/** Follows a directive to the requests and commits that it led to. */
export function traceOf(all: readonly TimelineRecord[], judged: Judged): Trace {
  // A wrapper has no effects of its own: it shows those of its targets.
  const parts = new Set(within(judged.message.detail.directive));
  const processed = all.filter(
    (one): one is Of<'directive:processed'> =>
      one.message.event === 'directive:processed' && parts.has(one.message.detail.directive),
  );
  const triggered = processed.flatMap(({ message }) => message.detail.triggered);
  const satisfied = processed.flatMap(({ message }) => message.detail.satisfied);
  const marked = processed.flatMap(({ message }) => markedBy(message.detail));
  const start = Math.min(judged.seq, ...processed.map(({ seq }) => seq));

  // From here on the first answer to a request for an entry is what the directive asked for.
  const waiting = new Set(triggered.map(entryKeyOf));
  const requests = new Map<string, TracedRequest>();
  // The commit of the directive itself shows an inline result. Without one, it shows that the entries are stale.
  const own = processed.map(({ seq }) => seq);
  const settled = new Set(satisfied.length > 0 ? own : []);
  const loading = new Set<number>();
  const stale = new Set(own);
  const commits: TracedCommit[] = [];
  for (const one of all) {
    if (one.seq <= start) continue;
    const qid = qidOf(one);
    if (isIntent(one) && qid !== null) {
      if (!one.targets.some((target) => waiting.has(entryKeyOf(target)))) continue;
      requests.set(qid, { qid, begun: one, ended: null, outcome: 'under way', strategy: null });
      loading.add(one.seq);
    } else if (qid !== null) {
      const request = requests.get(qid);
      const outcome = endingOf(one);
      if (request === undefined || outcome === null) continue;
      // A batch that failed in part counts as failed.
      if (request.outcome === 'under way' || outcome === 'error') {
        const { detail } = one.message;
        const strategy = 'strategy' in detail ? detail.strategy : request.begun.count > 1 ? 'bulk' : 'direct';
        requests.set(qid, { ...request, ended: one, outcome, strategy });
      }
      settled.add(one.seq);
      // After an outdated answer the follow-up is awaited.
      if (outcome !== 'aborted') for (const target of one.targets) waiting.delete(entryKeyOf(target));
    } else if (one.message.event === 'commit') {
      const { number, causes } = one.message.detail;
      const isOf = (those: ReadonlySet<number>): boolean => causes.some((seq) => those.has(seq));
      const shows = isOf(settled) ? 'data' : isOf(loading) ? 'loading' : isOf(stale) ? 'stale' : null;
      if (shows !== null) commits.push({ record: one, number, shows });
    }
  }
  return {
    received: deliveryOf(all, judged),
    triggered,
    satisfied,
    marked,
    requests: [...requests.values()],
    commits,
  };
}

/** The directives that led to a request. */
export function causesOf(all: readonly TimelineRecord[], qid: string): Judged[] {
  return all.filter(
    (one): one is Judged =>
      one.message.event === 'directive:processed' &&
      isJudged(one) &&
      one.message.detail.triggered.length > 0 &&
      traceOf(all, one).requests.some((request) => request.qid === qid),
  );
}
