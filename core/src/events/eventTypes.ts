// The lifecycle events and their details (document §6.2; D-FETCH-4, D-DIR-2, D-DIR-4, D-SSE, D-MEM-2).

import type { CollectionEntry, ItemLevel, Target } from '../types/delivery.ts';

/**
 * Why a read started no request. `fresh`: the data is fresh. `derived`: another level contains the data. `in-flight`: a request is in flight.
 * `failed`: the last request failed, and the read did not force another one.
 */
export type SkipReason = 'fresh' | 'failed' | 'in-flight' | 'derived';

/**
 * How a gap in a sequence was noticed. `gap`: a number is missing. `restart`: the server lost its counter. `position`: a heartbeat or greeting
 * does not repeat the last number. `replay-miss`: the hub may not have replayed everything.
 */
export type GapReason = 'gap' | 'restart' | 'position' | 'replay-miss';

/** The gap that caused a resync. */
export interface ResyncContext {
  /** How the gap was noticed. */
  reason: GapReason;
  /** The audience of the sequence. */
  audience: string;
  /** The last number before the gap; null if none was known. */
  lastSeq: number | null;
  /** The number that showed the gap. */
  incomingSeq: number;
}

/** A fault in a directive. */
export interface DirectiveIssue {
  /** The path of the fault, such as `targets[0].id`; `''` for the whole directive. */
  path: string;
  /** The expected form. */
  message: string;
}

/** @inline */
type Request = {
  /** The id of the query, the same in all events of one request. */
  qid: string;
};
/** @inline */
type Hit = {
  /** Why the read started no request. */
  reason: SkipReason;
};
/** @inline */
type Failed = {
  /** The error of the fetch function, the same as `meta.cause`. */
  error: unknown;
};
/** @inline */
type Aborted = {
  /** A newer response or a follow-up request replaced this one, or the data layer was disposed. */
  reason: 'superseded' | 'disposed';
};
/** A request of a collection. @inline */
type CollectionFetch = CollectionEntry & Request;
/** A request of an item's level. @inline */
type ItemFetch = ItemLevel & Request;
/** A read of a collection that started no request. @inline */
type CollectionHit = CollectionEntry & Hit;
/** A read of an item that started no request. @inline */
type ItemHit = ItemLevel & Hit;

/** Every lifecycle event with its detail. Each request ends with `…:fetch:complete`, after its success, error, or abort. */
export interface LifecycleEvents {
  /** A request of a collection starts. */
  'collection:fetch:intent': CollectionFetch & {
    /** Whether a directive, a resync, or the caller forced the request. */
    force: boolean;
  };
  /** The response of a collection was applied. */
  'collection:fetch:success': CollectionFetch;
  /** A request of a collection failed. */
  'collection:fetch:error': CollectionFetch & Failed;
  /** A response of a collection was discarded. */
  'collection:fetch:aborted': CollectionFetch & Aborted;
  /** A request of a collection ended, whatever its outcome. */
  'collection:fetch:complete': CollectionFetch;
  /** A read of a collection started no request. */
  'collection:fetch:skip': CollectionHit;
  /** A read of a collection was served from the cache. */
  'collection:cache-hit': CollectionHit;
  /** A request of an item's level starts. */
  'item:fetch:intent': ItemFetch;
  /** The response of a level was applied. */
  'item:fetch:success': ItemFetch & {
    /** `bulk` if the item was one of several in a `bulkFetch`. */
    strategy: 'direct' | 'bulk';
  };
  /** A request of a level failed. */
  'item:fetch:error': ItemFetch & Failed;
  /** A response of a level was discarded. */
  'item:fetch:aborted': ItemFetch & Aborted;
  /** A request of a level ended, whatever its outcome. */
  'item:fetch:complete': ItemFetch;
  /** A read of an item started no request. */
  'item:fetch:skip': ItemHit;
  /** A read of an item was served from the cache. */
  'item:cache-hit': ItemHit;
  /** A list of directives arrived, by the stream or in a response. None of them has been checked yet. */
  'directive:received': {
    /** The directives, unchanged. */
    directives: readonly unknown[];
    /** The audience of the envelope; null without an envelope. */
    audience: string | null;
    /** The source of the envelope; null without an envelope. */
    source: string | null;
  };
  /** One directive was applied. */
  'directive:processed': {
    /** The directive, unchanged. */
    directive: unknown;
    /** What will be refetched because of the directive. */
    triggered: readonly Target[];
    /** The entries that the inline `result` of the directive covered. */
    satisfied: readonly Target[];
    /** Present for `force_reload_page`, before the reload. */
    kind?: 'page_reload';
  };
  /** A directive was malformed and is dropped, or its inline `result` was malformed and is ignored. */
  'directive:rejected': {
    /** The directive, unchanged. */
    directive: unknown;
    /** The faults. */
    issues: readonly DirectiveIssue[];
  };
  /** One directive was not applied. */
  'directive:skipped': {
    /** The directive, unchanged. */
    directive: unknown;
    /** With `outdated`, only the inline `result` was not applied. The directive is a plain refresh. */
    reason: 'duplicate' | 'own-source' | 'audience' | 'outdated';
  };
  /** An attempt to connect starts. */
  'sse:connecting': {
    /** Counted from 1 since the last connection that worked. */
    attempt: number;
    /** The URL with its parameters. */
    url: string;
  };
  /** The server accepted the stream. */
  'sse:open': {
    /** The subscribed audiences, as in the option. */
    audience: string | readonly string[];
    /** The URL with its parameters. */
    url: string;
  };
  /** The stream ended without an error. */
  'sse:close': {
    /**
     * `server`: the server closed the stream and asked to reconnect. `disconnect`: `disconnectSse()`. `configure`: the options changed, or a
     * custom source replaced the stream. `pagehide`: the page was left. `offline`: the browser reported offline for one heartbeat interval
     * without a byte. `dispose`: the data layer was disposed.
     */
    reason: 'server' | 'disconnect' | 'configure' | 'pagehide' | 'offline' | 'dispose';
  };
  /** The connection failed or broke. */
  'sse:error': {
    /** Milliseconds until the next attempt; null if none follows before `connectSse()`, `configureSse()`, or `reset()`. */
    retryInMs: number | null;
    /** The HTTP status, if the server responded with anything but the stream. */
    status?: number;
    /** The `code` in the JSON body of that response, such as `audience_refused`. */
    code?: string;
    /** The refused audience, from the JSON body of that response. */
    audience?: string;
    /** `silent` if the connection delivered no data for too long. */
    reason?: 'silent';
    /** The error. */
    error: unknown;
  };
  /** A frame, or the number of an envelope, is not readable. An unreadable frame changes nothing. */
  'sse:message-error': {
    /** The text of the frame, or the envelope. */
    data: unknown;
    /** The fault. */
    error: unknown;
  };
  /** Messages were missed, or may have been missed. */
  'sse:gap': Omit<ResyncContext, 'reason'> & {
    /** How the gap was noticed. Absent if the number is simply too high. */
    reason?: Exclude<GapReason, 'gap'>;
  };
  /** An envelope arrived whose number is not greater than the last one. It was applied. */
  'sse:out-of-order': {
    /** The audience of the sequence. */
    audience: string;
    /** The last number, which stays. */
    lastSeq: number;
    /** The number of the envelope. */
    incomingSeq: number;
  };
  /** A resync will run. */
  'sse:resync-scheduled': {
    /** The jitter in milliseconds. */
    waitMs: number;
    /** The gap that caused the resync. */
    context: ResyncContext;
  };
  /** A resync starts: watched entries are refetched, all others become stale. */
  'sse:resync-dispatch': {
    /** The gap that caused the resync. */
    context: ResyncContext;
  };
  /** An entry was evicted from the cache. */
  'memory:evict': {
    /** The kind of the entry. */
    kind: 'item' | 'collection';
    /** The type or the collection. */
    name: string;
    /** The id of the item, or the `paramsKey`. */
    key: string;
    /**
     * `ttl`: the entry was unused for too long. `capacity`: there were too many entries, and it was the least
     * recently used one.
     */
    reason: 'ttl' | 'capacity';
  };
}

/** The name of a lifecycle event. */
export type LifecycleEvent = keyof LifecycleEvents;

/** The argument of a lifecycle callback. */
export type LifecycleMessage<E extends LifecycleEvent = LifecycleEvent> = {
  [K in E]: {
    /** The name of the event. */
    event: K;
    /** The detail of the event. */
    detail: LifecycleEvents[K];
  };
}[E];

/** A lifecycle callback, of one event or with `*` of all. */
export type LifecycleCallback<E extends LifecycleEvent | '*'> = (
  message: LifecycleMessage<E extends LifecycleEvent ? E : LifecycleEvent>,
) => void;

/** An event in the history of `devtools()`. */
export type LoggedEvent = LifecycleMessage & {
  /** When it happened, in milliseconds since the epoch. */
  at: number;
};
