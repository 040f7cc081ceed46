// One log as this node reads it. A blocking read returns new entries. If they do not continue the reader's
// position, the whole log is read and the sink is reset.

import type { LogReader, LogSink } from '../log/backplane.ts';
import type { HubEnv } from '../env.ts';
import type { HighestSeq } from './highestSeq.ts';
import { readEntries, unreadable, type LogPosition } from './replies.ts';
import { begins, safeError, type RedisError } from './safeError.ts';
import {
  continuation,
  isOtherHistory,
  missedSince,
  readStreamState,
  type StreamState,
} from './streamState.ts';

/** A log that is open. */
export interface RedisLogReader extends LogReader {
  readonly key: string;
  /** The newest entry that the sink has received. Null while blocking reads skip this log. */
  readonly position: () => LogPosition | null;
  /** Whether the key contains data of another application. */
  readonly isSetAside: () => boolean;
  /** Handles the entries that a blocking read returned. */
  readonly take: (reply: unknown) => void;
  /** Compares the position with the newest entry in Redis. A reader that makes no progress reads the whole log. */
  readonly compare: (newest: LogPosition) => void;
  /** The key contains data of another application: notifies the sink, and leaves the log out until it can be read. */
  readonly setAside: () => void;
  /** Reads the whole log, if blocking reads leave it out. */
  readonly retry: () => void;
  /** Reads the whole log. Ends the reader when Redis refuses that. */
  readonly endUnlessReadable: () => void;
}

/** The collaborators of a reader. */
export interface LogReaderNeeds {
  readonly env: HubEnv;
  /** The clock of Redis. Milliseconds. */
  readonly now: () => number;
  readonly highestSeq: HighestSeq;
  /** Resolves to the reply of `readScript`. */
  readonly readLog: (key: string) => Promise<unknown>;
  /** Creates the log again, which notifies every node. */
  readonly recreate: (key: string) => Promise<unknown>;
  /** The log is ready for blocking reads. */
  readonly onReady: () => void;
  readonly onClose: (reader: RedisLogReader) => void;
}

/** A log to open. */
export interface LogToRead {
  readonly key: string;
  /** Names the log in log lines. */
  readonly name: string;
  readonly sink: LogSink;
}

/** Opens a log. */
export function openLogReader({ key, name, sink }: LogToRead, needs: LogReaderNeeds): RedisLogReader {
  const { env, highestSeq } = needs;
  /** The newest entry that the sink has received. */
  let last: LogPosition | null = null;
  let isFollowed = false;
  let isLoading = true;
  let isOpen = true;
  /**
   * The log has a different history now. This may be the only node that knows, so it has to create the log again.
   */
  let isReplaced = false;
  /** The sink was notified that the key contains data of another application. */
  let isSetAside = false;
  /** The position at the last check that found newer entries in Redis. */
  let behindAt: number | null = null;

  function moveTo(position: LogPosition): void {
    last = position;
    highestSeq.note(key, position.seq);
  }

  async function load(): Promise<void> {
    isLoading = true;
    isFollowed = false;
    try {
      if (isReplaced) await needs.recreate(key);
      isReplaced = false;
      const state = readStreamState(await needs.readLog(key));
      if (!isOpen) return;
      show(state);
      moveTo(state.end);
      isFollowed = true;
      isSetAside = false;
      needs.onReady();
    } finally {
      isLoading = false;
    }
  }

  function show(state: StreamState): void {
    const missed = last === null ? null : missedSince(last, state);
    const { view, beginning } = state;
    if (missed !== null) {
      if (missed.length > 0) sink.entries(missed);
    } else if (last === null || beginning === null || beginning.position <= last.seq) {
      sink.reset(view);
    } else {
      // The log was created again. Its entries are new to every client, so they are delivered after the reset.
      sink.reset(beginning);
      if (view.entries.length > 0) sink.entries(view.entries);
    }
  }

  function reload(isLastAttempt = false): void {
    load().catch((error: unknown) => {
      const reason = safeError(error);
      if (begins(reason, 'FOREIGN')) return setAside();
      if (reason.isRefusal && isLastAttempt && isOpen) return end(reason);
      env.log('debug', `The log of ${name} could not be read. The next check tries again.`, reason);
    });
  }

  function end(reason: RedisError): void {
    env.log('error', `The log of ${name} cannot be read. Its streams end.`, reason);
    reader.close();
    sink.end();
  }

  function setAside(): void {
    isFollowed = false;
    if (isSetAside || !isOpen || last === null) return;
    isSetAside = true;
    env.log('warn', `The log of ${name} cannot be read.`, unreadable());
    // As after any loss of data, the counter continues above every known number, so each client notices and refetches.
    const position = Math.max(Math.floor(env.now() * 1000), highestSeq.overall() + 1);
    sink.reset({ position, entries: [], reachSeq: position, reachAt: needs.now(), emitted: true });
    moveTo({ seq: position, micros: 0 });
  }

  const reader: RedisLogReader = {
    key,
    position: () => (isFollowed ? last : null),
    isSetAside: () => isSetAside,
    // The first load starts in a later microtask, after the hub has what `open` returns.
    ready: Promise.resolve().then(async () => {
      try {
        await load();
      } catch (error) {
        reader.close();
        throw safeError(error);
      }
    }),
    take(reply) {
      if (!isFollowed || last === null) return;
      const entries = readEntries(reply);
      const fresh = continuation(last, entries);
      if (fresh === null) {
        isReplaced = isOtherHistory(last, entries);
        return reload();
      }
      const newest = fresh.at(-1);
      if (newest === undefined) return;
      moveTo(newest);
      sink.entries(fresh);
    },
    compare(newest) {
      if (!isFollowed || last === null || newest.seq <= last.seq) return;
      if (behindAt === last.seq) reload();
      behindAt = last.seq;
    },
    setAside,
    retry() {
      if (!isFollowed && !isLoading) reload();
    },
    endUnlessReadable: () => reload(true),
    close() {
      isOpen = false;
      needs.onClose(reader);
    },
  };
  return reader;
}
