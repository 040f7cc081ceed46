// The lifecycle events and what each carries (document §6.2; D-FETCH-4, D-DIR-2, D-DIR-4, D-SSE, D-MEM-2).

import type { Id } from './protocol/directive.ts';
import type { Target } from './types.ts';

/** Why a read started nothing (D-FETCH-4). */
export type SkipReason = 'fresh' | 'failed' | 'in-flight' | 'derived';

/** Why a sequence is known to have a hole (D-SSE-6, D-SSE-7). */
export type GapReason = 'gap' | 'restart' | 'position' | 'replay-miss';

/** Why a resync was scheduled. */
export interface ResyncContext {
  reason: GapReason;
  audience: string;
  lastSeq: number | null;
  incomingSeq: number;
}

/** What was wrong with a directive, and where. */
export interface DirectiveIssue {
  /** Such as `targets[0].id`; `''` for the whole. */
  path: string;
  message: string;
}

type CollectionFetch = { name: string; params: object | undefined; qid: string };
type ItemFetch = { type: string; id: Id; level: string; qid: string };
type CollectionHit = { name: string; params: object | undefined; reason: SkipReason };
type ItemHit = { type: string; id: Id; level: string; reason: SkipReason };
type Superseded = { reason: 'superseded' | 'disposed' };

/** Every lifecycle event with its detail. */
export interface LifecycleEvents {
  'collection:fetch:intent': CollectionFetch & { force: boolean };
  'collection:fetch:success': CollectionFetch;
  'collection:fetch:error': CollectionFetch & { error: unknown };
  'collection:fetch:aborted': CollectionFetch & Superseded;
  'collection:fetch:complete': CollectionFetch;
  'collection:fetch:skip': CollectionHit;
  'collection:cache-hit': CollectionHit;
  'item:fetch:intent': ItemFetch & { force: boolean };
  'item:fetch:success': ItemFetch & { strategy: 'direct' | 'bulk' };
  'item:fetch:error': ItemFetch & { error: unknown };
  'item:fetch:aborted': ItemFetch & Superseded;
  'item:fetch:complete': ItemFetch;
  'item:fetch:skip': ItemHit;
  'item:cache-hit': ItemHit;
  'directive:received': { directives: readonly unknown[]; audience: string | null; source: string | null };
  'directive:processed': {
    directive: unknown;
    triggered: readonly Target[];
    satisfied: readonly Target[];
    kind?: 'page_reload';
  };
  'directive:rejected': { directive: unknown; issues: readonly DirectiveIssue[] };
  'directive:skipped': {
    directive: unknown;
    reason: 'duplicate' | 'own-source' | 'audience' | 'outdated';
  };
  'sse:connecting': { attempt: number; url: string };
  'sse:open': { audience: string | readonly string[]; url: string };
  'sse:close': { reason: 'server' | 'disconnect' | 'configure' | 'pagehide' | 'offline' | 'dispose' };
  'sse:error': { retryInMs: number | null; status?: number; error: unknown };
  'sse:message-error': { data: unknown; error: unknown };
  'sse:gap': {
    audience: string;
    lastSeq: number | null;
    incomingSeq: number;
    reason: GapReason;
  };
  'sse:out-of-order': { audience: string; lastSeq: number; incomingSeq: number };
  'sse:resync-scheduled': { waitMs: number; context: ResyncContext };
  'sse:resync-dispatch': { context: ResyncContext };
  'memory:evict': { kind: 'item' | 'collection'; name: string; key: string; reason: 'ttl' | 'capacity' };
}

/** The name of a lifecycle event. */
export type LifecycleEvent = keyof LifecycleEvents;

/** What a lifecycle callback receives (D-NAME-4). */
export type LifecycleMessage<E extends LifecycleEvent = LifecycleEvent> = {
  [K in E]: { event: K; detail: LifecycleEvents[K] };
}[E];

/** A lifecycle callback: of one event, or of all with `*`. */
export type LifecycleCallback<E extends LifecycleEvent | '*'> = (
  message: LifecycleMessage<E extends LifecycleEvent ? E : LifecycleEvent>,
) => void;

/** An event in the history that `devtools()` keeps, with the time it happened (ms since the epoch). */
export type LoggedEvent = LifecycleMessage & { at: number };
