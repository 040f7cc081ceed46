// The start times of the requests that the other cache sent. A response contains every change that was announced
// before its request started.

export interface Requests {
  /** A request for all or a part of this query's data starts now. */
  readonly noteStart: (query: object) => void;
  /**
   * The start of the last request, in milliseconds since the epoch. If it is unknown, the current time is stored
   * and returned.
   */
  readonly startedAt: (query: object) => number;
  /** A request for all data of this query starts now. */
  readonly noteWholeStart: (query: object) => void;
  /** The last request for all data succeeded. */
  readonly noteSuccess: (query: object) => void;
  /** Whether all of its data was ever requested. */
  readonly wasRequested: (query: object) => boolean;
  /** The start of the last request for all data that succeeded, in milliseconds since the epoch; -Infinity if there was none. */
  readonly succeededStart: (query: object) => number;
}

export function createRequests(now: () => number): Requests {
  const started = new WeakMap<object, number>();
  const startedWhole = new WeakMap<object, number>();
  const succeeded = new WeakMap<object, number>();
  const noteStart = (query: object): number => {
    const at = now();
    started.set(query, at);
    return at;
  };
  return {
    noteStart,
    startedAt: (query) => started.get(query) ?? noteStart(query),
    noteWholeStart: (query) => void startedWhole.set(query, now()),
    noteSuccess(query) {
      const at = startedWhole.get(query);
      if (at !== undefined) succeeded.set(query, at);
    },
    wasRequested: (query) => startedWhole.has(query),
    succeededStart: (query) => succeeded.get(query) ?? -Infinity,
  };
}
