// Reads the logs of all audiences that this node has open: one blocking read after the other on a connection of its own,
// each from the concrete place where the one before ended, so that an outage loses nothing that was appended (D-HUB-7).

import type { LogReader, LogSink } from '../log/backplane.ts';
import type { HubEnv } from '../env.ts';
import type { Line } from './line.ts';
import { backoffMs } from './line.ts';
import {
  continuation,
  idOf,
  isOtherHistory,
  listOf,
  readEntries,
  readPicture,
  readStreams,
  unreadable,
  type Picture,
  type Place,
} from './replies.ts';

/** An audience that is being read, and the entry that it has reached. */
export interface AudiencePlace {
  readonly audience: string;
  readonly place: Place;
}

/** The readers of one node. */
export interface StreamReaders {
  readonly open: (audience: string, sink: LogSink) => LogReader;
  /** What stands under the key of this audience is no log. The others are read without it, until `mend` finds that it is one. */
  readonly leaveOut: (audience: string) => void;
  /** Reads anew what could not be read before. */
  readonly mend: () => void;
  /** The audiences that are being read. */
  readonly places: () => readonly AudiencePlace[];
  readonly count: () => number;
  readonly close: () => void;
}

/** What they need. */
export interface StreamReadersNeeds {
  readonly env: HubEnv;
  /** For blocking reads alone. */
  readonly line: Line;
  readonly keyOf: (audience: string) => string;
  /** A stream of this node alone: what is appended to it ends a blocking read, so that a new audience does not wait for that. */
  readonly wakeKey: string;
  readonly wake: () => Promise<unknown>;
  /** The whole log, as `pictureScript` answers. */
  readonly picture: (audience: string) => Promise<unknown>;
  /** Makes the log anew, which tells every node. */
  readonly renew: (audience: string) => Promise<unknown>;
  readonly note: (audience: string, seq: number) => void;
}

interface Reader extends LogReader {
  readonly audience: string;
  readonly sink: LogSink;
  /** Null while it has no picture, or needs a new one. */
  place: Place | null;
  /** The last number that the sink was told; null before the first picture. */
  told: number | null;
  isLoading: boolean;
  /** Its log continues another history, and is still to be made anew: nobody else can tell afterwards. */
  isOther: boolean;
}

/** A read that found nothing ends after this, and so does one that was to be woken but was not. */
const blockMs = 1000;
/** What one read brings at most: a whole log when there are few, so that a busy node does not fall behind what is kept of it. */
const entriesAtOnce = (logs: number): number => Math.min(1000, Math.max(64, Math.ceil(4000 / logs)));

/** The readers of one node; none at first. */
export function createStreamReaders(needs: StreamReadersNeeds): StreamReaders {
  const { env, line, keyOf, wakeKey } = needs;
  const readers = new Map<string, Reader>();
  let wakePlace = '0-0';
  /** A blocking read has begun without an audience that was opened since. */
  let isWakeOwed = false;
  let isWaking = false;
  let isClosed = false;
  let isReading = false;

  const isOpen = (reader: Reader): boolean => readers.get(reader.audience) === reader;

  /** Tells the sink the whole picture and reads on from its end, which is the reader's place and not the counter's. */
  async function load(reader: Reader): Promise<void> {
    reader.isLoading = true;
    reader.place = null;
    try {
      // What this node has seen is lost, and other nodes may never have seen it: their clients are to be told, too.
      if (reader.isOther) await needs.renew(reader.audience);
      reader.isOther = false;
      const picture = readPicture(await needs.picture(reader.audience));
      if (!isOpen(reader)) return;
      show(reader, picture);
      reader.place = picture.place;
      reader.told = picture.place.seq;
      needs.note(reader.audience, picture.place.seq);
      wakeUp();
    } finally {
      reader.isLoading = false;
    }
  }

  /** A log that was made anew is told from its beginning: what it has got since is news to everybody, and is to be delivered. */
  function show({ sink, told }: Reader, { view, beginning }: Picture): void {
    if (told === null || beginning === null || beginning.position <= told) return sink.reset(view);
    sink.reset(beginning);
    if (view.entries.length > 0) sink.entries(view.entries);
  }

  function reload(reader: Reader): void {
    // What fails now is done again by the next `mend`.
    load(reader).catch((error: unknown) => env.log('debug', 'A log could not be read yet.', error));
  }

  function wakeUp(): void {
    if (!isReading) return void readOn();
    isWakeOwed = true;
    if (!isWaking) void wakeNow();
  }

  /** One at a time for however many audiences are opened at once; those that come meanwhile ask for one more. */
  async function wakeNow(): Promise<void> {
    isWaking = true;
    while (isWakeOwed && !isClosed) {
      isWakeOwed = false;
      await needs.wake().catch(() => {}); // The bound of the blocking read helps then.
    }
    isWaking = false;
  }

  function take(reader: Reader, reply: unknown): void {
    if (reader.place === null) return;
    const entries = readEntries(reply);
    const fresh = continuation(reader.place, entries);
    if (fresh === null) {
      reader.isOther = isOtherHistory(reader.place, entries);
      return reload(reader);
    }
    const last = fresh.at(-1);
    if (last === undefined) return;
    reader.place = last;
    reader.told = last.seq;
    needs.note(reader.audience, last.seq);
    reader.sink.entries(fresh);
  }

  const tellUnreadable = (audience: string, error: unknown): void =>
    env.log('warn', `The log of audience ${JSON.stringify(audience)} cannot be read.`, error);

  async function readOnce(): Promise<void> {
    const keys = [wakeKey];
    const ids = [wakePlace];
    const byKey = new Map<string, string>();
    for (const { audience, place } of readers.values()) {
      if (place === null) continue;
      const key = keyOf(audience);
      byKey.set(key, audience);
      keys.push(key);
      ids.push(idOf(place));
    }
    const asked = ['COUNT', entriesAtOnce(keys.length), 'BLOCK', blockMs, 'STREAMS', ...keys, ...ids];
    for (const [key, entries] of readStreams(await line.run('XREAD', asked, blockMs))) {
      if (key === wakeKey) wakePlace = String(listOf(listOf(entries).at(-1))[0]);
      const reader = readers.get(byKey.get(key) ?? '');
      if (reader === undefined) continue;
      try {
        take(reader, entries);
      } catch (error) {
        // Something else wrote to this key; the other logs are read on.
        tellUnreadable(reader.audience, error);
        reload(reader);
      }
    }
  }

  async function readOn(): Promise<void> {
    isReading = true;
    let failures = 0;
    while (!isClosed && readers.size > 0) {
      try {
        await readOnce();
        failures = 0;
      } catch (error) {
        if (isClosed) break;
        // A line that is away says so itself. What Redis refuses is looked after by the checks of the logs.
        const level = failures === 0 && line.isHealthy() ? 'warn' : 'debug';
        env.log(level, 'A blocking read failed; reading goes on from the same place.', error);
        const pauseMs = backoffMs(failures, env.random());
        failures += 1;
        await new Promise<void>((done) => env.setTimeout(done, pauseMs));
      }
    }
    isReading = false;
  }

  function open(audience: string, sink: LogSink): LogReader {
    const reader: Reader = {
      audience,
      sink,
      place: null,
      told: null,
      isLoading: true,
      isOther: false,
      // The first picture is loaded in a later microtask: the hub may not be told before it has what `open` returns.
      ready: Promise.resolve().then(async () => {
        try {
          await load(reader);
        } catch (error) {
          reader.close();
          throw error;
        }
      }),
      close() {
        if (isOpen(reader)) readers.delete(audience);
      },
    };
    readers.set(audience, reader);
    return reader;
  }

  return {
    open,
    leaveOut(audience) {
      const reader = readers.get(audience);
      if (reader === undefined) return;
      tellUnreadable(audience, unreadable());
      reader.place = null;
    },
    mend() {
      for (const reader of readers.values()) if (reader.place === null && !reader.isLoading) reload(reader);
    },
    places: () =>
      Array.from(readers.values()).flatMap(({ audience, place }) =>
        place === null ? [] : [{ audience, place }],
      ),
    count: () => readers.size,
    close() {
      isClosed = true;
      readers.clear();
    },
  };
}
