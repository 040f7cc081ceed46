// The part of TanStack Query that its adapter uses.

/** What is asked of a query; TanStack's `Query` has it. */
export interface QueryLike {
  /** Its key. */
  readonly queryKey: readonly unknown[];
  /** Its state. */
  readonly state: {
    /** What it holds; undefined before the first answer. */
    readonly data: unknown;
    /** Milliseconds since the epoch; 0 before the first answer. */
    readonly dataUpdatedAt: number;
    /** Whether a request is under way. */
    readonly fetchStatus: 'fetching' | 'paused' | 'idle';
    /** Whether it was marked stale. */
    readonly isInvalidated?: boolean;
  };
  /** How it is fetched. One that came from elsewhere with its answer still under way is not, as long as nobody shows it. */
  readonly options?: {
    /** Fetches it. */
    readonly queryFn?: unknown;
  };
  /** Marks it stale. */
  invalidate(): void;
}

/** What is asked of a client; TanStack's `QueryClient` (version 5) has it. */
export interface QueryClientLike {
  /** Where its queries are. */
  getQueryCache(): {
    /** Every query. */
    getAll(): readonly QueryLike[];
    /** Calls back on each change of a query. Returns what ends it. */
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
  /** Fetches again what passes the filters. */
  refetchQueries(
    filters: { type: 'active'; predicate: (query: QueryLike) => boolean },
    options: { cancelRefetch: boolean },
  ): Promise<void>;
  /** Ends the requests of what passes the filters. */
  cancelQueries(filters: { type: 'active'; predicate: (query: QueryLike) => boolean }): Promise<void>;
  /** Puts data into one query. */
  setQueryData(queryKey: readonly unknown[], data: unknown): unknown;
}
