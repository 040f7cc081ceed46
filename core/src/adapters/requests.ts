// The start times of the requests that the other cache sent. A response contains every change that was announced
// before its request started.

import { deepEqual } from '../cache/structuralSharing.ts';

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
  /** The last request for all data succeeded with this data. */
  readonly noteSuccess: (query: object, data: unknown) => void;
  /**
   * The start of the last request that succeeded, in milliseconds since the epoch. Null if its response differs from this data, or if the date
   * of the data is earlier, because a persister restored it.
   */
  readonly startOf: (query: object, data: unknown, date: number) => number | null;
}

export function createRequests(now: () => number): Requests {
  const started = new WeakMap<object, number>();
  const startedWhole = new WeakMap<object, number>();
  const succeeded = new WeakMap<object, { readonly start: number; readonly data: unknown }>();
  const noteStart = (query: object): number => {
    const at = now();
    started.set(query, at);
    return at;
  };
  return {
    noteStart,
    startedAt: (query) => started.get(query) ?? noteStart(query),
    noteWholeStart: (query) => void startedWhole.set(query, now()),
    noteSuccess(query, data) {
      const start = startedWhole.get(query);
      if (start !== undefined) succeeded.set(query, { start, data });
    },
    startOf(query, data, date) {
      const last = succeeded.get(query);
      return last !== undefined && last.start <= date && deepEqual(last.data, data) ? last.start : null;
    },
  };
}
