// The lifecycle events and what each carries (document §6.2; D-FETCH-4, D-DIR-2, D-DIR-4, D-SSE, D-MEM-2).

import type { Id } from '../protocol/directive.ts';
import type { Target } from '../types/delivery.ts';

/**
 * Why a read started nothing: what it wants is there (`fresh`), is there as part of another level (`derived`), is being fetched (`in-flight`),
 * or failed and nobody forced it (`failed`) (D-FETCH-4).
 */
export type SkipReason = 'fresh' | 'failed' | 'in-flight' | 'derived';

/**
 * Why a sequence is known to have a hole: a number is missing (`gap`), the server lost its counter (`restart`), a heartbeat or greeting is
 * not at the last number (`position`), or the hub's log does not reach back far enough (`replay-miss`) (D-SSE-6, D-SSE-7).
 */
export type GapReason = 'gap' | 'restart' | 'position' | 'replay-miss';

/** Why everything is refetched (D-SSE-9). */
export interface ResyncContext {
  /** How the gap was noticed. */
  reason: GapReason;
  /** Whose sequence. */
  audience: string;
  /** The last number before; null where none was known. */
  lastSeq: number | null;
  /** The number that came. */
  incomingSeq: number;
}

/** What was wrong with a directive, and where. */
export interface DirectiveIssue {
  /** Such as `targets[0].id`; `''` for the whole. */
  path: string;
  /** What was expected. */
  message: string;
}

/** A request of a collection. @inline */
type CollectionFetch = {
  /** The collection. */
  name: string;
  /** Undefined where there are none. */
  params: object | undefined;
  /** The query's id; the same in all events of one request. */
  qid: string;
};
/** A request of an item's level. @inline */
type ItemFetch = {
  /** The type. */
  type: string;
  /** As first given. */
  id: Id;
  /** `'default'` where none was given. */
  level: string;
  /** The query's id; the same in all events of one request. */
  qid: string;
};
/** A read of a collection that started nothing. @inline */
type CollectionHit = {
  /** The collection. */
  name: string;
  /** Undefined where there are none. */
  params: object | undefined;
  /** Why. */
  reason: SkipReason;
};
/** A read of an item that started nothing. @inline */
type ItemHit = {
  /** The type. */
  type: string;
  /** As first given. */
  id: Id;
  /** `'default'` where none was given. */
  level: string;
  /** Why. */
  reason: SkipReason;
};
/** @inline */
type Superseded = {
  /** A newer answer or a follow-up took its place, or the data layer was disposed of. */
  reason: 'superseded' | 'disposed';
};

/** Every lifecycle event with its detail. Each request ends with `…:fetch:complete`, after its success, error or abort. */
export interface LifecycleEvents {
  /** Before a request. `force`: a directive, a resync or the caller asked for it, fresh or not. */
  'collection:fetch:intent': CollectionFetch & {
    /** Whether it runs although fresh or failed. */
    force: boolean;
  };
  /** Its answer was applied. */
  'collection:fetch:success': CollectionFetch;
  /** It failed (D-FETCH-4). */
  'collection:fetch:error': CollectionFetch & {
    /** What was thrown, as in `meta.cause`. */
    error: unknown;
  };
  /** Its answer is void (D-FETCH-4). */
  'collection:fetch:aborted': CollectionFetch & Superseded;
  /** It has ended, one way or another. */
  'collection:fetch:complete': CollectionFetch;
  /** A read started no request. */
  'collection:fetch:skip': CollectionHit;
  /** A read was served from the cache. */
  'collection:cache-hit': CollectionHit;
  /** Before a request. */
  'item:fetch:intent': ItemFetch;
  /** Its answer was applied. */
  'item:fetch:success': ItemFetch & {
    /** `bulk`: as one of several in a `bulkFetch`. */
    strategy: 'direct' | 'bulk';
  };
  /** It failed (D-FETCH-4). */
  'item:fetch:error': ItemFetch & {
    /** What was thrown, as in `meta.cause`. */
    error: unknown;
  };
  /** Its answer is void (D-FETCH-4). */
  'item:fetch:aborted': ItemFetch & Superseded;
  /** It has ended, one way or another. */
  'item:fetch:complete': ItemFetch;
  /** A read started no request. */
  'item:fetch:skip': ItemHit;
  /** A read was served from the cache. */
  'item:cache-hit': ItemHit;
  /** A list has come, on whichever way, before anything is judged. */
  'directive:received': {
    /** As they came. */
    directives: readonly unknown[];
    /** Of the envelope; null where there was none. */
    audience: string | null;
    /** Of the envelope; null where there was none. */
    source: string | null;
  };
  /** One directive was applied (D-DIR-4). */
  'directive:processed': {
    /** As it came. */
    directive: unknown;
    /** What will be refetched because of it. */
    triggered: readonly Target[];
    /** What its inline `result` covered. */
    satisfied: readonly Target[];
    /** Of `force_reload_page`, before the reload. */
    kind?: 'page_reload';
  };
  /** One directive was malformed and dropped, or its inline `result` was (D-DIR-2, D-DIR-8). */
  'directive:rejected': {
    /** As it came. */
    directive: unknown;
    /** What was wrong. */
    issues: readonly DirectiveIssue[];
  };
  /** One directive was not applied (D-DIR-4). */
  'directive:skipped': {
    /** As it came. */
    directive: unknown;
    /** `outdated`: only its inline `result` was not (D-DIR-9). */
    reason: 'duplicate' | 'own-source' | 'audience' | 'outdated';
  };
  /** An attempt begins. */
  'sse:connecting': {
    /** From 1, since the last connection that worked. */
    attempt: number;
    /** With its parameters. */
    url: string;
  };
  /** The server has accepted the stream. */
  'sse:open': {
    /** What was subscribed to. */
    audience: string | readonly string[];
    /** With its parameters. */
    url: string;
  };
  /** The stream ended without an error (D-SSE-2). */
  'sse:close': {
    /** `server`: announced by it, and the client comes back. */
    reason: 'server' | 'disconnect' | 'configure' | 'pagehide' | 'offline' | 'dispose';
  };
  /** The connection failed or broke (D-SSE-2). */
  'sse:error': {
    /** Milliseconds until the next attempt; null: none until `connectSse()` or `configureSse()`. */
    retryInMs: number | null;
    /** The HTTP status, where the server answered. */
    status?: number;
    /** What happened. */
    error: unknown;
  };
  /** A frame could not be read; it changed nothing (D-SSE-11). */
  'sse:message-error': {
    /** Its text. */
    data: unknown;
    /** Why it could not be read. */
    error: unknown;
  };
  /** Something was missed, or may have been (D-SSE-6, D-SSE-7). */
  'sse:gap': {
    /** Whose sequence. */
    audience: string;
    /** The last number before; null where none was known. */
    lastSeq: number | null;
    /** The number that came. */
    incomingSeq: number;
    /** How it was noticed; missing where the number was simply too high. */
    reason?: Exclude<GapReason, 'gap'>;
  };
  /** An envelope came whose number was not greater than the last; it was applied (D-SSE-6). */
  'sse:out-of-order': {
    /** Whose sequence. */
    audience: string;
    /** The last number before, which stays. */
    lastSeq: number;
    /** The number that came. */
    incomingSeq: number;
  };
  /** A resync will run (D-SSE-9). */
  'sse:resync-scheduled': {
    /** The jitter, milliseconds. */
    waitMs: number;
    /** Why. */
    context: ResyncContext;
  };
  /** A resync runs now: what is watched is refetched, the rest is marked stale (D-SSE-9). */
  'sse:resync-dispatch': {
    /** Why. */
    context: ResyncContext;
  };
  /** An entry has left the cache (D-MEM-2). */
  'memory:evict': {
    /** What it was. */
    kind: 'item' | 'collection';
    /** Its type or collection. */
    name: string;
    /** The item's id, or the `paramsKey`. */
    key: string;
    /** `ttl`: not used for long; `capacity`: over the maximum, and least recently used. */
    reason: 'ttl' | 'capacity';
  };
}

/** The name of a lifecycle event. */
export type LifecycleEvent = keyof LifecycleEvents;

/** What a lifecycle callback receives (D-NAME-4). */
export type LifecycleMessage<E extends LifecycleEvent = LifecycleEvent> = {
  [K in E]: {
    /** Its name. */
    event: K;
    /** What it carries. */
    detail: LifecycleEvents[K];
  };
}[E];

/** A lifecycle callback: of one event, or of all with `*`. */
export type LifecycleCallback<E extends LifecycleEvent | '*'> = (
  message: LifecycleMessage<E extends LifecycleEvent ? E : LifecycleEvent>,
) => void;

/** An event in the history that `devtools()` keeps, with the time it happened (ms since the epoch). */
export type LoggedEvent = LifecycleMessage & {
  /** Milliseconds since the epoch. */
  at: number;
};
