// A backplane that the test steps: it decides when an append is stored and when a node receives it.

import {
  controlAudience,
  type AppendItem,
  type Appended,
  type Backplane,
  type LogEntry,
  type LogSink,
} from '../../src/log/backplane.ts';

interface Asked {
  readonly items: readonly AppendItem[];
  readonly answer: (appended: readonly Appended[]) => void;
  readonly refuse: (error: Error) => void;
}

/** A reader of a node, with the calls that its sink has not received yet. */
interface Reader {
  readonly sink: LogSink;
  readonly news: (() => void)[];
}

export interface SlowBackplane {
  /** Creates the backplane of one node. */
  readonly node: () => Backplane & { readonly hears: (() => void) | null };
  /** Stores and confirms the oldest waiting append. Null if no append waits. */
  readonly store: (() => void) | null;
  /** Stores the oldest waiting append, but rejects it as not confirmed. */
  readonly storeUnconfirmed: (() => void) | null;
  /** Deletes the stored entries, and keeps the counter. */
  readonly trim: () => void;
  /** Deletes the stored entries, and starts a new, higher counter. */
  readonly lose: () => void;
}

/** Creates a backplane with one audience, whose counter starts at 1000. */
export function slowBackplane(now: () => number): SlowBackplane {
  const asked: Asked[] = [];
  const readers = new Set<Reader>();
  let position = 1000;
  let entries: LogEntry[] = [];
  let reachAt = now();

  const view = () => ({
    position,
    entries: [...entries],
    reachSeq: entries[0] === undefined ? position : entries[0].seq - 1,
    reachAt,
    emitted: position > 1000,
  });
  const tell = (news: (sink: LogSink) => void): void => {
    for (const { sink, news: waiting } of readers) waiting.push(() => news(sink));
  };

  function append({ items }: Asked): Appended[] {
    return items.map(({ payload }) => {
      const entry: LogEntry = { seq: ++position, at: now(), payload };
      entries.push(entry);
      tell((sink) => sink.entries([entry]));
      return { seq: entry.seq, at: entry.at };
    });
  }

  function storing(end: (asked: Asked, appended: readonly Appended[]) => void): (() => void) | null {
    const next = asked[0];
    if (next === undefined) return null;
    return () => {
      asked.shift();
      end(next, append(next));
    };
  }

  return {
    node() {
      const own = new Set<Reader>();
      return {
        get hears() {
          const next = [...own].find(({ news }) => news.length > 0);
          return next === undefined ? null : () => next.news.shift()?.();
        },
        connect: () => ({
          lingerMs: 0,
          now,
          status: () => ({ healthy: true, audiences: 1 }),
          append: (items) => new Promise((answer, refuse) => asked.push({ items, answer, refuse })),
          open(audience, sink) {
            if (audience === controlAudience) return { ready: Promise.resolve(), close: () => undefined };
            const picture = view();
            let ready = (): void => undefined;
            const reader: Reader = {
              sink,
              news: [
                () => {
                  sink.reset(picture);
                  ready();
                },
              ],
            };
            readers.add(reader);
            own.add(reader);
            return {
              ready: new Promise((done) => (ready = done)),
              close() {
                readers.delete(reader);
                own.delete(reader);
              },
            };
          },
          position: () => Promise.resolve(position),
          close: () => Promise.resolve(),
        }),
      };
    },
    get store() {
      return storing((next, appended) => next.answer(appended));
    },
    get storeUnconfirmed() {
      return storing((next) => next.refuse(new Error('not confirmed')));
    },
    trim() {
      if (entries.length > 0) reachAt = now() + 1;
      entries = [];
    },
    lose() {
      entries = [];
      reachAt = now() + 1; // Later than every deleted entry, because all have the same time.
      position += 1_000_000;
      const picture = view();
      tell((sink) => sink.reset(picture));
    },
  };
}
