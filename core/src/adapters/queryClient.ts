// The part of TanStack Query's interface that the adapter uses.

/** The part of TanStack's `Query` that the adapter uses. */
export interface QueryLike {
  /** Its key. */
  readonly queryKey: readonly unknown[];
  /** Its state. */
  readonly state: {
    /** The cached data; undefined before the first response. */
    readonly data: unknown;
    /** Milliseconds since the epoch; 0 before the first response. */
    readonly dataUpdatedAt: number;
    /** Whether a request is in flight. */
    readonly fetchStatus: 'fetching' | 'paused' | 'idle';
    /** Whether it was marked stale. */
    readonly isInvalidated?: boolean;
  };
  /** How the query is fetched. A query that was hydrated while pending has no function until a component uses it. */
  readonly options?: {
    /** Sends the request. */
    readonly queryFn?: unknown;
  };
  /** Marks it stale. */
  invalidate(): void;
}

/** The part of TanStack's `QueryClient` (version 5) that the adapter uses. */
export interface QueryClientLike {
  /** Returns the cache with all queries. */
  getQueryCache(): {
    /** Returns every query. */
    getAll(): readonly QueryLike[];
    /** Calls back on each change of a query. Returns the function that unsubscribes. */
    subscribe(
      listener: (event: {
        type: string;
        query: QueryLike;
        action?: {
          type: string;
          meta?: unknown;
          manual?: boolean | undefined;
          dataUpdatedAt?: number | undefined;
        };
      }) => void,
    ): () => void;
  };
  /** Refetches the queries that match the filters. */
  refetchQueries(
    filters: { type: 'active'; predicate: (query: QueryLike) => boolean },
    options: { cancelRefetch: boolean },
  ): Promise<void>;
  /** Cancels the requests of the queries that match the filters. */
  cancelQueries(filters: { type: 'active'; predicate: (query: QueryLike) => boolean }): Promise<void>;
  /** Sets the data of one query. */
  setQueryData(queryKey: readonly unknown[], data: unknown): unknown;
}
