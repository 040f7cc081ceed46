// The causal view. It derives the effects of one directive or one resync from the timeline.

import type { Target } from '@edict/core';
import type { ChangeKind, Handled, Intent, Of, ResyncStep, TimelineRecord } from './record.ts';
import { entryKeyOf, is, isCommit, isHandled, isIntent, isReceived, isResyncStep, qidOf } from './record.ts';

/** A commit that a directive or a resync caused. */
interface TracedCommit {
  readonly record: Of<'commit'>;
  /** The most important change in it. */
  readonly shows: ChangeKind;
}

/** The requests and commits that a record caused. */
export interface Effects {
  readonly requests: readonly Intent[];
  readonly commits: readonly TracedCommit[];
}

/** The effects of one directive. */
export interface Trace extends Effects {
  /** The delivery that contained it. Null when the timeline has dropped it. */
  readonly received: TimelineRecord | null;
  readonly triggered: readonly Target[];
  readonly satisfied: readonly Target[];
  /** Entries that were only marked stale. They are fetched when they are read again. */
  readonly marked: readonly Target[];
}

/** A resync from the first gap to the commits that show the refetched data. */
interface ResyncTrace extends Effects {
  readonly gaps: readonly Of<'sse:gap'>[];
  readonly scheduled: Of<'sse:resync-scheduled'> | null;
  /** Null until the resync starts. */
  readonly dispatch: Of<'sse:resync-dispatch'> | null;
}

const isProcessed = is('directive:processed');
const isDispatch = is('sse:resync-dispatch');

const importance: readonly ChangeKind[] = ['data', 'error', 'loading', 'stale', 'same'];

/** The most important change of a commit. */
export const showsOf = ({ message: { detail } }: Of<'commit'>): ChangeKind =>
  importance.find((kind) => detail.changes.some((change) => change.kind === kind)) ?? 'same';

/** The directives in a wrapper at any depth, including the wrapper itself. */
function* within(directive: unknown): Generator {
  yield directive;
  if (typeof directive !== 'object' || directive === null || !('targets' in directive)) return;
  if (Array.isArray(directive.targets)) for (const target of directive.targets) yield* within(target);
}

/** The delivery that contained a directive, or null. */
function deliveryOf(all: readonly TimelineRecord[], handled: Handled): Of<'directive:received'> | null {
  const { directive } = handled.message.detail;
  for (let i = all.length - 1; i >= 0; i--) {
    const one = all[i];
    if (one === undefined || one.seq > handled.seq || !isReceived(one)) continue;
    for (const each of one.message.detail.directives)
      for (const inner of within(each)) if (inner === directive) return one;
  }
  return null;
}

/** The outcome of each directive in a delivery. */
export function handledOf(all: readonly TimelineRecord[], received: Of<'directive:received'>): Handled[] {
  const inside = new Set(received.message.detail.directives.flatMap((each) => [...within(each)]));
  return all.filter(
    (one): one is Handled =>
      one.seq > received.seq && isHandled(one) && inside.has(one.message.detail.directive),
  );
}

/** Follows the records `own` to the requests for `targets` and to the commits. */
function effectsOf(
  all: readonly TimelineRecord[],
  own: readonly number[],
  targets: readonly Target[],
): Effects {
  // The first response to a request for an entry counts as the result of the directive or resync.
  const waiting = new Set(targets.map(entryKeyOf));
  const causes = new Set(own);
  const requests: Intent[] = [];
  const commits: TracedCommit[] = [];
  for (const one of all) {
    if (one.seq <= Math.min(...own)) continue;
    if (isIntent(one)) {
      if (!one.targets.some((target) => waiting.has(entryKeyOf(target)))) continue;
      requests.push(one);
      causes.add(one.seq);
      // After an aborted request, its follow-up request counts.
      if (one.ending?.outcome !== 'aborted')
        for (const target of one.targets) waiting.delete(entryKeyOf(target));
    } else if (isCommit(one) && one.message.detail.causes.some((seq) => causes.has(seq))) {
      commits.push({ record: one, shows: showsOf(one) });
    }
  }
  return { requests, commits };
}

/** Follows a directive to the requests and commits that it led to. */
export function traceOf(all: readonly TimelineRecord[], handled: Handled): Trace {
  // A wrapper has no effects of its own, so it shows the effects of its targets.
  const parts = new Set(within(handled.message.detail.directive));
  const processed = all
    .filter(is('directive:processed'))
    .filter(({ message }) => parts.has(message.detail.directive));
  const triggered = processed.flatMap(({ message }) => message.detail.triggered);
  const satisfied = processed.flatMap(({ message }) => message.detail.satisfied);
  const marked = processed.flatMap((one) => one.marked);
  // A directive that affects no entry shares its commit with directives that do.
  const own =
    triggered.length + satisfied.length + marked.length === 0 ? [] : processed.map(({ seq }) => seq);
  return {
    received: deliveryOf(all, handled),
    triggered,
    satisfied,
    marked,
    ...effectsOf(all, own, triggered),
  };
}

/** Finds the whole resync for any of its steps. The second of two resyncs repairs all gaps between them. */
export function resyncOf(all: readonly TimelineRecord[], step: ResyncStep): ResyncTrace {
  const dispatches = all.filter(isDispatch);
  const before = dispatches.filter(({ seq }) => seq < step.seq).at(-1);
  const dispatch = dispatches.find(({ seq }) => seq >= step.seq) ?? null;
  const steps = all.filter(
    (one): one is ResyncStep =>
      isResyncStep(one) && one.seq > (before?.seq ?? -Infinity) && one.seq <= (dispatch?.seq ?? Infinity),
  );
  return {
    gaps: steps.filter(is('sse:gap')),
    scheduled: steps.find(is('sse:resync-scheduled')) ?? null,
    dispatch,
    ...(dispatch === null ? { requests: [], commits: [] } : effectsOf(all, [dispatch.seq], dispatch.targets)),
  };
}

/** The directives and resyncs that led to a request. */
export function causesOf(all: readonly TimelineRecord[], request: TimelineRecord): TimelineRecord[] {
  const qid = qidOf(request);
  const includesIt = (requests: readonly Intent[]): boolean => requests.some((one) => qidOf(one) === qid);
  return all.filter((one) => {
    if (one.seq > request.seq) return false;
    if (isDispatch(one)) return includesIt(resyncOf(all, one).requests);
    return (
      isProcessed(one) && one.message.detail.triggered.length > 0 && includesIt(traceOf(all, one).requests)
    );
  });
}
