// What `state()` and `devtools()` show (document §2.9).

import type { LoggedEvent } from '../events/eventTypes.ts';
import type { Id } from '../protocol/directive.ts';
import type { MemoryOptions } from './options.ts';
import type { CollectionData, CollectionMeta, ItemMeta } from './references.ts';

/** The stream's state. `off`: no attempt is made. `waiting`: for the next attempt, or to be online. */
export type SseStatus = 'off' | 'connecting' | 'open' | 'waiting';

/** `state().sse`. */
export interface SseInfo {
  /** The option. */
  enabled: boolean;
  /** Whether the stream is open. */
  connected: boolean;
  /** `off`: no attempt is made; `waiting`: for the next attempt, or to be online. */
  status: SseStatus;
  /** Where it connects to, without its parameters. */
  url: string;
  /** The option. */
  audience: string | readonly string[];
  /** Attempts since the last connection that worked, the present one included. */
  attempt: number;
  /** Milliseconds, of the wait that is under way; else null. */
  retryInMs: number | null;
  /** The last number seen, by audience. */
  lastSeq: Record<string, number>;
}

/** `state()` (document §2.9): a deep plain copy, safe to serialise. */
export interface StateSnapshot {
  /** What was registered with `createType`, by name. */
  types: Record<
    string,
    {
      /** Milliseconds until the default level is stale. */
      stalenessMs: number;
      /** The registered levels, `'default'` among them. */
      levels: string[];
      /** Items held. */
      itemCount: number;
      /** Whether any level has a `bulkFetch`. */
      hasBulkFetch: boolean;
    }
  >;
  /** What was registered with `createCollection`, by name. */
  collections: Record<
    string,
    {
      /** Milliseconds until an entry is stale. */
      stalenessMs: number;
      /** Params sets held. */
      refCount: number;
    }
  >;
  /** The event stream. */
  sse: SseInfo;
  /** Coalescing. */
  bulk: {
    /** The option. */
    delayMs: number;
    /** The option. */
    maxBatchSize: number;
    /** Entries that wait for their window to close. */
    pending: number;
  };
  /** The options, and what is held. */
  memory: MemoryOptions & {
    /** Items held, of all types. */
    items: number;
    /** Params sets held, of all collections. */
    collections: number;
  };
}

/** `devtools()` (document §2.9): what `state()` has, and every entry. */
export interface DevtoolsSnapshot extends StateSnapshot {
  /** As `clientId()`. */
  clientId: string;
  /** Every item held, by type and id. */
  items: Record<
    string,
    Record<
      string,
      {
        /** `data` of its reference. */
        data: unknown;
        /** `meta` of its reference. */
        meta: ItemMeta;
        /** How many watch it: subscribers of `onRefChange`, mounted hooks among them. */
        watchers: number;
      }
    >
  >;
  /** Every params set held, by collection and `paramsKey`. */
  refs: Record<
    string,
    Record<
      string,
      {
        /** `data` of its reference. */
        data: CollectionData;
        /** `meta` of its reference. */
        meta: CollectionMeta;
        /** How many watch it. */
        watchers: number;
      }
    >
  >;
  /** Requests under way. */
  inFlight: {
    /** Of items, one for each level. */
    items: {
      /** The type's name. */
      type: string;
      /** As first given. */
      id: Id;
      /** `'default'` where none was given. */
      level: string;
      /** The query's id, as in the lifecycle events. */
      qid: string;
    }[];
    /** Of collections. */
    collections: {
      /** The collection's name. */
      name: string;
      /** Undefined where there are none. */
      params: object | undefined;
      /** The query's id, as in the lifecycle events. */
      qid: string;
    }[];
    /** Both together. */
    totalCount: number;
    /** As `hasAnyInFlightRequests()`. */
    hasAnyInFlight: boolean;
  };
  /** The idempotency keys remembered, oldest first (D-DIR-11). */
  seenKeys: string[];
  /** The last 200 lifecycle events, oldest first. */
  events: LoggedEvent[];
}
