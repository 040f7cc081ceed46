// What a cache that is not ours has requested itself: an answer has whatever was said before it was requested.

export interface Requests {
  /** A request of this query is sent now, for everything of it or for a part. */
  readonly start: (query: object) => void;
  /** When the last one was sent, milliseconds since the epoch; where that is not known, now is the time to begin to count. */
  readonly startedAt: (query: object) => number;
  /** Everything of this query is requested now. */
  readonly begin: (query: object) => void;
  /** The last request was answered. */
  readonly answer: (query: object) => void;
  /** Whether it was never requested. */
  readonly isNone: (query: object) => boolean;
  /** When the last request that was answered began, milliseconds since the epoch; long ago where there was none. */
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
