// The options of `init`.

/** Options of the event stream. */
export interface SseOptions {
  /** False: there is no stream, and `connectSse` does nothing. Default true. */
  enabled: boolean;
  /** The URL of the stream, after `baseUrl` or at the origin of the page. Default `/api/events`. */
  url: string;
  /** The prefix of `url`. Needed outside a browser. Default `''`. */
  baseUrl: string;
  /** One audience or several. Default `global`. */
  audience: string | readonly string[];
  /** The name of the query parameter with the client id. Default `client_id`. */
  clientIdParam: string;
  /** The name of the query parameter with the audience, repeated for several. Default `audience`. */
  audienceParam: string;
  /** Whether the stream sends cookies, even to the same origin. Default false. */
  withCredentials: boolean;
  /** Whether `init` connects. Otherwise call `connectSse`. Default true. */
  connectOnInit: boolean;
  /** The wait before the first attempt to reconnect, in milliseconds. Default 2000. */
  initialRetryMs: number;
  /** The longest wait between two attempts, in milliseconds. At least `initialRetryMs`. Default 30000. */
  maxRetryMs: number;
  /** The factor by which each wait is longer than the previous one. Default 2. */
  backoffMultiplier: number;
  /**
   * How much of a wait may be removed at random, from 0 to 1, so that clients do not reconnect at the same time. It changes neither the
   * backoff nor a wait that the server asked for. Default 0.5.
   */
  retryJitter: number;
  /** Whether to refetch watched entries after a gap in the sequence. Default true. */
  resyncOnGap: boolean;
  /** The shortest random wait before the refetch after a gap, in milliseconds. Default 1500. */
  resyncJitterMinMs: number;
  /** The longest random wait before the refetch after a gap, in milliseconds. At least `resyncJitterMinMs`. Default 3500. */
  resyncJitterMaxMs: number;
  /** Request headers of the stream, or a function that returns them for each attempt. Default: none. */
  headers: SseHeaders;
  /**
   * Whether the tabs of a browser share one stream. Over HTTP/1.1 a browser has six connections to a host, and each stream takes one. Tabs
   * share when their address, audiences, parameter names, and credentials are equal. With `headers`, or where tabs may belong to different
   * users, pass `{ key }` with the id of the user: then only tabs with the same key share. A tab that cannot share connects by itself.
   * Default: true for `DL`, false for the data layers of `createDataLayer`.
   */
  share:
    | boolean
    | {
        /** The id of the user. */
        readonly key: string;
      };
  /** Whether a hidden page has no stream. It catches up when it becomes visible. Default false. */
  pauseHidden: boolean;
}

/** Request headers of the event stream, or a function that returns them. */
export type SseHeaders =
  | Readonly<Record<string, string>>
  | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);

/** Options of eviction. */
export interface MemoryOptions {
  /** False: nothing is evicted. Default true. Outside a browser, the timer starts with `init` or `configureMemory`. */
  enabled: boolean;
  /** The highest number of cached items of one type. Entries that are watched or being requested are kept beyond it. Default 512. */
  maxItemsPerType: number;
  /** How long an item stays cached after it was last read or watched, in milliseconds. Default 900000 (15 min). */
  itemEntryTtlMs: number;
  /**
   * The highest number of cached entries of one collection. Entries that are watched or being requested are kept
   * beyond it. Default 12.
   */
  maxCollectionRefsPerCollection: number;
  /** How long a collection entry stays cached after it was last read or watched, in milliseconds. Default 600000 (10 min). */
  collectionEntryTtlMs: number;
  /** The time between two sweeps, in milliseconds. Default 60000. */
  pruneIntervalMs: number;
}

/** Options of batching. */
export interface BulkOptions {
  /** How long directives are collected into one batch, in milliseconds from the first. Default 50; 0 means the end of the current task. */
  delayMs: number;
  /** The highest number of ids in one `bulkFetch`. Default 100. */
  maxBatchSize: number;
  /** How long reads are collected into one `bulkFetch`, in milliseconds. Default 0 means the same task. */
  readWindowMs: number;
  /** The longest random time that is added to `delayMs`, in milliseconds, so that clients do not refetch at the same time. Default 0. */
  jitterMs: number;
  /**
   * Like `delayMs`, for the directives in the response of this client's own mutation. Default 0: the end of the
   * current task.
   */
  pullDelayMs: number;
  /**
   * Which affected entries are refetched. `'held'` (default): all cached ones. `'watched'`: only watched ones; the others when they are
   * read.
   */
  refetch: 'held' | 'watched';
  /**
   * The wait before a failed refetch of a watched entry is repeated, in milliseconds. Only refetches that a directive or a resync caused
   * are repeated. The wait doubles up to 30 s. Default 0 means never.
   */
  retryFailedMs: number;
}

/** Some of the options. A member that is undefined changes nothing. */
export type Some<T> = { [K in keyof T]?: T[K] | undefined };

/** The argument of `init`. A second call merges its options. */
export interface InitOptions {
  /** The event stream. */
  sse?: Some<SseOptions> | undefined;
  /** Eviction. */
  memory?: Some<MemoryOptions> | undefined;
  /** Batching. */
  bulk?: Some<BulkOptions> | undefined;
  /**
   * Additional origins to which `fetch` of the data layer sends its headers, such as `https://api.example.com`.
   * Default: none. The page's own origin always receives them, and without a page the origin of `sse.baseUrl`.
   */
  fetchOrigins?: readonly string[] | undefined;
}
