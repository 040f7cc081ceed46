// What `init` takes (document §2.8).

/** Options of the event stream (document §2.8). */
export interface SseOptions {
  /** False: there is no stream, and `connectSse` does nothing. Default true. */
  enabled: boolean;
  /** Where the stream is: behind `baseUrl`, or at the page's origin where there is none. Default `/api/events`. */
  url: string;
  /** Prefix of `url`; needed outside a browser. Default `''`. */
  baseUrl: string;
  /** One audience or several (D-SSE-10). Default `global`. */
  audience: string | readonly string[];
  /** The name of the query parameter with the client id. Default `client_id`. */
  clientIdParam: string;
  /** The name of the query parameter with the audience, repeated for several. Default `audience`. */
  audienceParam: string;
  /** Send cookies with the stream. Default false: not even to the same origin. */
  withCredentials: boolean;
  /** Connect when `init` is called; else `connectSse` does. Default true. */
  connectOnInit: boolean;
  /** The wait before the first attempt to reconnect, milliseconds. Default 2000. */
  initialRetryMs: number;
  /** The longest wait between two attempts, milliseconds; not below `initialRetryMs`. Default 30000. */
  maxRetryMs: number;
  /** Each wait is so many times the one before. Default 2. */
  backoffMultiplier: number;
  /**
   * Spreads the reconnects of many clients, from 0 to 1: each wait is shortened by a random part of it, at most this part. The backoff itself
   * and waits that the server asked for are not changed. Default 0.5.
   */
  retryJitter: number;
  /** Refetch what is on screen after a gap in the sequence. Default true. */
  resyncOnGap: boolean;
  /** A refetch after a gap waits a random time, so that not all clients come at once: at least so many milliseconds. Default 1500. */
  resyncJitterMinMs: number;
  /** And at most so many; not below `resyncJitterMinMs`. Default 3500. */
  resyncJitterMaxMs: number;
  /** Request headers of the stream, or a function that makes them anew for each attempt. Default: none. */
  headers: SseHeaders;
}

/** Request headers of the event stream, or what makes them. */
export type SseHeaders =
  | Readonly<Record<string, string>>
  | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);

/** Options of eviction: what leaves the cache, and when (document §2.8, D-MEM-1). */
export interface MemoryOptions {
  /** False: nothing is ever evicted. Default true; where there is no page, as on a server, without a timer until `init` or `configureMemory` (D-MEM-2). */
  enabled: boolean;
  /** The most items of one type; what is watched or under way stays although there are more. Default 512. */
  maxItemsPerType: number;
  /** How long an item stays that nobody reads or watches, milliseconds. Default 900000 (15 min). */
  itemEntryTtlMs: number;
  /** The most params sets of one collection, as above. Default 12. */
  maxCollectionRefsPerCollection: number;
  /** How long a params set stays that nobody reads or watches, milliseconds. Default 600000 (10 min). */
  collectionEntryTtlMs: number;
  /** How often it is looked for what may go, milliseconds. Default 60000. */
  pruneIntervalMs: number;
}

/** Options of coalescing: what is asked for together (document §2.8, D-REG-3). */
export interface BulkOptions {
  /** The window in which directives become one batch, milliseconds from the first. Default 50; 0 = the end of the current task. */
  delayMs: number;
  /** The most ids one `bulkFetch` is asked for. Default 100. */
  maxBatchSize: number;
  /** The window in which reads become one `bulkFetch`, milliseconds. Default 0 = the same task. */
  readWindowMs: number;
  /** Adds a random time to the directives' window, at most so many milliseconds: spreads the requests of many clients. Default 0. */
  jitterMs: number;
  /** Which affected entries are refetched: all that are held (default), or the watched ones only; the others are then refetched when they are read. */
  refetch: 'held' | 'watched';
  /**
   * What a directive or a resync has outdated and whose refetch failed is tried again after so many milliseconds, while it is watched; doubling
   * up to 30 s. Default 0 = off (D-FETCH-10).
   */
  retryFailedMs: number;
}

/** What `init` takes. A second call merges (D-REG-4). */
export interface InitOptions {
  /** The event stream. */
  sse?: Partial<SseOptions>;
  /** Eviction. */
  memory?: Partial<MemoryOptions>;
  /** Coalescing. */
  bulk?: Partial<BulkOptions>;
  /** Further origins that `fetch` of the data layer may send its headers to, such as `https://api.example.com`. Default: the same origin only. */
  fetchOrigins?: readonly string[];
}
