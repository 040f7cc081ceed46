// The start times of the requests that the other cache sent. A response contains every change that was announced
// before its request started.

export interface Requests {
  /** A request for all or a part of this query's data starts now. */
  readonly start: (query: object) => void;
  /**
   * The start of the last request, in milliseconds since the epoch. If it is unknown, the current time is stored
   * and returned.
   */
  readonly startedAt: (query: object) => number;
  /** A request for all data of this query starts now. */
  readonly begin: (query: object) => void;
  /** The last request succeeded. */
  readonly answer: (query: object) => void;
  /** Whether it was never requested. */
  readonly isNone: (query: object) => boolean;
  /** The start of the last request that succeeded, in milliseconds since the epoch; -Infinity if there was none. */
  readonly currentAt: (query: object) => number;
}

export function createRequests(now: () => number): Requests {
  const begun = new WeakMap<object, number>();
  const answered = new WeakMap<object, number>();
  const started = new WeakMap<object, number>();
  const start = (query: object): number => {
    const at = now();
    started.set(query, at);
    return at;
  };
  return {
    start,
    startedAt: (query) => started.get(query) ?? start(query),
    begin: (query) => void begun.set(query, now()),
    answer(query) {
      const at = begun.get(query);
      if (at !== undefined) answered.set(query, at);
    },
    isNone: (query) => !begun.has(query),
    currentAt: (query) => answered.get(query) ?? -Infinity,
  };
}
