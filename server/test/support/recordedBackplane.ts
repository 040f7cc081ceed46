// A backplane that the test controls: it sends entries to the readers, and decides whether calls succeed.

import {
  controlAudience,
  type AppendItem,
  type Backplane,
  type LogEntry,
  type LogSink,
  type LogView,
} from '../../src/log/backplane.ts';

export interface PlayedBackplane extends Backplane {
  readonly appended: AppendItem[];
  /** The sink that reads an audience. */
  readonly sink: (audience: string) => LogSink;
  /** Makes all calls fail, or succeed again. */
  readonly setAway: (isAway: boolean) => void;
  /** The open audiences, without the one for revocations. */
  readonly opened: () => string[];
  readonly setNow: (now: number) => void;
  /** Sets the counter, which can be ahead of the readers. */
  readonly setCounter: (seq: number) => void;
}

export const viewAt = (position: number, more: Partial<LogView> = {}): LogView => ({
  position,
  entries: [],
  reachSeq: position,
  reachAt: 0,
  emitted: true,
  ...more,
});

export const entry = (seq: number, id: number, at = 0): LogEntry => ({
  seq,
  at,
  payload: `[{"op":"refresh_item","name":"ticket","id":${id},"seq":\u0000}]`,
});

/** Creates a backplane whose counters are at 100. */
export function playedBackplane(lingerMs = 0): PlayedBackplane {
  const sinks = new Map<string, LogSink>();
  const appended: AppendItem[] = [];
  let isAway = false;
  let now = 0;
  let counter = 100;
  const away = (): Error => new Error('The backplane is away: not confirmed.');
  return {
    appended,
    sink(audience) {
      const sink = sinks.get(audience);
      if (sink === undefined) throw new Error(`Nobody reads ${audience}.`);
      return sink;
    },
    setAway: (value) => void (isAway = value),
    setCounter: (value) => void (counter = value),
    setNow: (value) => void (now = value),
    opened: () => [...sinks.keys()].filter((audience) => audience !== controlAudience),
    connect: () => ({
      lingerMs,
      now: () => now,
      status: () => ({ healthy: !isAway, audiences: sinks.size - Number(sinks.has(controlAudience)) }),
      async append(items) {
        if (isAway) throw away();
        appended.push(...items);
        return items.map((_, index) => ({ seq: 101 + index, at: 0 }));
      },
      open(audience, sink) {
        const close = (): void => {
          if (sinks.get(audience) === sink) sinks.delete(audience);
        };
        if (isAway) return { ready: Promise.reject(away()), close };
        sinks.set(audience, sink);
        sink.reset(viewAt(100));
        return { ready: Promise.resolve(), close };
      },
      async position() {
        if (isAway) throw away();
        return counter;
      },
      close: () => Promise.resolve(),
    }),
  };
}
