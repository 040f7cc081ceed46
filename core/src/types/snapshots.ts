// The results of `state()` and `devtools()`.

import type { LifecycleEvents, LoggedEvent } from '../events/eventTypes.ts';
import type { MemoryOptions } from './options.ts';
import type { CollectionData, CollectionMeta, ItemMeta } from './references.ts';

/** The state of the stream. `off`: no attempt is made. `waiting`: the next attempt is due later. */
export type SseStatus = 'off' | 'connecting' | 'open' | 'waiting';

/**
 * With a shared stream, `leader` has the stream of the browser, and `follower` receives the messages from another
 * tab.
 */
export type SseRole = 'leader' | 'follower';

/** `state().sse`. */
export interface SseInfo {
  /** The option. */
  enabled: boolean;
  /** Whether the stream is open. */
  connected: boolean;
  /** The state of the stream. */
  status: SseStatus;
  /** With a shared stream, whether this tab leads or follows. Otherwise null. */
  role: SseRole | null;
  /** The URL of the stream, without its query parameters. */
  url: string;
  /** The option. */
  audience: string | readonly string[];
  /** The number of attempts since the last connection that worked, including the current one. */
  attempt: number;
  /** The wait before the next attempt, in milliseconds; null if there is none. */
  retryInMs: number | null;
  /** The last sequence number of each audience. */
  lastSeq: Record<string, number>;
}

/** The result of `state()`: a deep plain copy that can be serialized. */
export interface StateSnapshot {
  /** The registered types by name. */
  types: Record<
    string,
    {
      /** Milliseconds until the default level is stale. */
      stalenessMs: number;
      /** The registered levels, including `'default'`. */
      levels: string[];
      /** The number of cached items. */
      itemCount: number;
      /** Whether any level has a `bulkFetch`. */
      hasBulkFetch: boolean;
    }
  >;
  /** The registered collections by name. */
  collections: Record<
    string,
    {
      /** Milliseconds until an entry is stale. */
      stalenessMs: number;
      /** The number of cached entries. */
      refCount: number;
    }
  >;
  /** The event stream. */
  sse: SseInfo;
  /** Batching. */
  bulk: {
    /** The option. */
    delayMs: number;
    /** The option. */
    maxBatchSize: number;
    /** The number of entries that wait for a batch. */
    pending: number;
  };
  /** The options of eviction, and the number of entries. */
  memory: MemoryOptions & {
    /** The number of cached items of all types. */
    items: number;
    /** The number of cached entries of all collections. */
    collections: number;
  };
}

/** One cached entry in `devtools()`. */
export interface EntrySnapshot<Data, Meta> {
  /** `data` of its reference. */
  data: Data;
  /** `meta` of its reference. */
  meta: Meta;
  /** The number of subscribers of `onRefChange`, including mounted hooks. */
  watchers: number;
}

/** The result of `devtools()`: everything in `state()`, and every entry. */
export interface DevtoolsSnapshot extends StateSnapshot {
  /** The result of `clientId()`. */
  clientId: string;
  /** Every cached item, by type and id. */
  items: Record<string, Record<string, EntrySnapshot<unknown, ItemMeta>>>;
  /** Every cached collection entry, by collection and `paramsKey`. */
  refs: Record<string, Record<string, EntrySnapshot<CollectionData, CollectionMeta>>>;
  /** The requests in flight. */
  inFlight: {
    /** Requests for items, one for each level. */
    items: LifecycleEvents['item:fetch:complete'][];
    /** Requests for collections. */
    collections: LifecycleEvents['collection:fetch:complete'][];
    /** The number of both. */
    totalCount: number;
    /** The result of `hasAnyInFlightRequests()`. */
    hasAnyInFlight: boolean;
  };
  /** The remembered idempotency keys, oldest first. */
  seenKeys: string[];
  /** The last 200 lifecycle events, oldest first. */
  events: LoggedEvent[];
}
