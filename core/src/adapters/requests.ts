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
  /** The last request for all data succeeded, and its data has this date. */
  readonly noteSuccess: (query: object, date: number) => void;
  /** Whether all of its data was ever requested. */
  readonly wasRequested: (query: object) => boolean;
  /** The start of the last request for all data, in milliseconds since the epoch; -Infinity unless its response has this date or an earlier one. */
  readonly startBefore: (query: object, date: number) => number;
}

export function createRequests(now: () => number): Requests {
  const started = new WeakMap<object, number>();
  const startedWhole = new WeakMap<object, number>();
  const succeeded = new WeakMap<object, { readonly start: number; readonly date: number }>();
  const noteStart = (query: object): number => {
    const at = now();
    started.set(query, at);
    return at;
  };
  return {
    noteStart,
    startedAt: (query) => started.get(query) ?? noteStart(query),
    noteWholeStart: (query) => void startedWhole.set(query, now()),
    noteSuccess(query, date) {
      const start = startedWhole.get(query);
      if (start !== undefined) succeeded.set(query, { start, date });
    },
    wasRequested: (query) => startedWhole.has(query),
    startBefore(query, date) {
      const last = succeeded.get(query);
      return last !== undefined && last.date <= date ? last.start : -Infinity;
    },
  };
}
