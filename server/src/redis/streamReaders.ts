// Reads all logs of this node with one blocking read after the other, on a connection of its own. Each read starts at the
// positions where the previous one ended, so an outage loses nothing that was appended (D-HUB-7).

import type { LogReader } from '../log/backplane.ts';
import { openLogReader, type LogReaderNeeds, type LogToRead, type RedisLogReader } from './logReader.ts';
import { backoffMs, type ReconnectingClient } from './reconnectingClient.ts';
import { idOf, listOf, positionOf, readStreams, type LogPosition } from './replies.ts';
import { safeError } from './safeError.ts';
import type { WorkHealth } from './workHealth.ts';

/** The logs that a node reads. */
export interface StreamReaders {
  readonly open: (log: LogToRead) => LogReader;
  readonly all: () => Iterable<RedisLogReader>;
  readonly get: (key: string) => RedisLogReader | undefined;
  /** The newest entry of the node's own log that a blocking read returned. */
  readonly ownSeq: () => number;
  /** Whether a key contains data of another application. */
  readonly areSomeSetAside: () => boolean;
  readonly count: () => number;
  readonly close: () => void;
}

/** The collaborators of the readers. */
export interface StreamReadersNeeds extends Omit<LogReaderNeeds, 'onReady' | 'onClose'> {
  /** For blocking reads alone. */
  readonly client: ReconnectingClient;
  /**
   * The log of this node alone. An append to it ends a blocking read, so that a newly opened log is read
   * immediately.
   */
  readonly ownKey: string;
  readonly appendToOwnLog: () => Promise<unknown>;
  readonly health: WorkHealth;
}

/** A blocking read that finds nothing ends after this time, and so does a read that should have been ended but was not. */
const blockMs = 1000;
/** The pause after a read that returned entries. The next read then returns more of them, and a busy node makes far fewer reads. */
const gatherMs = 2;
/**
 * The maximum number of entries of each log that one read returns. Few logs are returned completely, so that a
 * busy node does not fall behind.
 */
const entriesAtOnce = (logs: number): number => Math.min(1000, Math.max(64, Math.ceil(4000 / logs)));

/** Creates readers without logs. */
export function createStreamReaders(needs: StreamReadersNeeds): StreamReaders {
  const { env, client, ownKey, health } = needs;
  const readers = new Map<string, RedisLogReader>();
  let ownPosition: LogPosition = { seq: 0, micros: 0 };
  /** A log became ready after the current blocking read had started without it. */
  let isWakeNeeded = false;
  let isWaking = false;
  let isClosed = false;

  function wake(): void {
    isWakeNeeded = true;
    if (!isWaking) void endBlockingRead();
  }

  /** One append at a time, however many logs become ready meanwhile. */
  async function endBlockingRead(): Promise<void> {
    isWaking = true;
    while (isWakeNeeded && !isClosed) {
      isWakeNeeded = false;
      await needs.appendToOwnLog().catch(() => {}); // The read then ends after `blockMs`.
    }
    isWaking = false;
  }

  /** Whether the read returned entries. */
  async function readOnce(): Promise<boolean> {
    const keys = [ownKey];
    const ids = [idOf(ownPosition)];
    for (const { key, position } of readers.values()) {
      const from = position();
      if (from === null) continue;
      keys.push(key);
      ids.push(idOf(from));
    }
    const args = ['COUNT', entriesAtOnce(keys.length), 'BLOCK', blockMs, 'STREAMS', ...keys, ...ids];
    const streams = readStreams(await client.run('XREAD', args, blockMs));
    for (const [key, entries] of streams) {
      if (key === ownKey) ownPosition = positionOf(listOf(listOf(entries).at(-1))[0]);
      const reader = readers.get(key);
      try {
        reader?.take(entries);
      } catch {
        reader?.setAside(); // Another application has written to this key. The other logs are not affected.
      }
    }
    return streams.length > 0;
  }

  const pause = (ms: number): Promise<void> => new Promise((done) => void env.setTimeout(done, ms));

  async function readAll(): Promise<void> {
    let failures = 0;
    while (!isClosed) {
      try {
        const hasEntries = await readOnce();
        failures = 0;
        health.succeed('XREAD');
        if (hasEntries) await pause(gatherMs);
      } catch (error) {
        if (isClosed) break;
        const reason = safeError(error);
        // The client reports a lost connection itself.
        if (reason.isRefusal) health.fail('XREAD', reason);
        await pause(backoffMs(failures, env.random()));
        failures += 1;
      }
    }
  }

  // This also runs without other logs, because the node's own log shows whether Redis can be read.
  void readAll();
  return {
    open(log) {
      const reader = openLogReader(log, {
        ...needs,
        onReady: wake,
        onClose(closed) {
          if (readers.get(log.key) === closed) readers.delete(log.key);
        },
      });
      readers.set(log.key, reader);
      return reader;
    },
    all: () => readers.values(),
    get: (key) => readers.get(key),
    ownSeq: () => ownPosition.seq,
    areSomeSetAside: () => Array.from(readers.values()).some(({ isSetAside }) => isSetAside()),
    count: () => readers.size,
    close() {
      isClosed = true;
      readers.clear();
    },
  };
}
