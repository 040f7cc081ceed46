// Sequence numbers and logs for one process. All operations are synchronous.

import {
  controlAudience,
  type Appended,
  type Backplane,
  type BackplaneLink,
  type BackplaneNode,
  type LogEntry,
  type LogReader,
  type LogSink,
  type ReplayLimits,
} from './backplane.ts';
import { createRing, type Ring } from './ring.ts';

interface Log {
  readonly ring: Ring;
  readonly sinks: Set<LogSink>;
  /**
   * The time at which the last reader left or the last entry was appended, whichever is later. Used only without
   * readers.
   */
  idleSince: number;
}

type Limits = { -readonly [K in keyof ReplayLimits]: ReplayLimits[K] };

/**
 * The maximum number of logs without readers. The oldest ones are forgotten first. A client that returns to a
 * forgotten log refetches.
 */
const maxIdleLogs = 100_000;

/**
 * The default backplane, for one process. Its logs reach back to the time when the first hub connected. An audience is forgotten
 * `replay.maxAgeMs` after its last subscriber left and its last envelope. Several hubs of one process may share one backplane.
 */
export function memoryBackplane(): Backplane {
  const logs = new Map<string, Log>();
  /** Logs without readers, in the order in which they became idle. */
  const idle = new Map<string, Log>();
  /** The largest limits of all hubs. Every log uses this object, including logs that are older than a hub. */
  const limits: Limits = { maxEnvelopes: 0, maxAgeMs: 0, maxBytes: 0 };
  let startedAt = Infinity;
  /** The timers of the open hubs. When a hub closes, the other hubs take care of its idle logs. */
  const arms = new Set<() => void>();
  /**
   * The latest time and the highest number of the forgotten audiences. A new log does not reach back further, and
   * a new counter does not start lower.
   */
  let forgottenAt = -Infinity;
  let forgottenSeq = -Infinity;

  function forgetIdle(now: number): void {
    const [oldest] = idle.values();
    // The clock was set back, so old times are in the future.
    if (oldest !== undefined && oldest.idleSince > now)
      for (const log of idle.values()) log.idleSince = Math.min(log.idleSince, now);
    for (const [audience, log] of idle) {
      if (now - log.idleSince < limits.maxAgeMs) break;
      forget(audience, log);
    }
  }

  function forget(audience: string, log: Log): void {
    log.ring.trim(Infinity); // Moves the time of the newest entry into `reachAt`.
    forgottenAt = Math.max(forgottenAt, log.ring.reachAt());
    forgottenSeq = Math.max(forgottenSeq, log.ring.position());
    idle.delete(audience);
    logs.delete(audience);
  }

  function logOf(audience: string, now: number): Log {
    const known = logs.get(audience);
    if (known !== undefined) return known;
    const position = Math.max(Math.floor(now * 1000), forgottenSeq + 1); // The clock in microseconds (D-HUB-3).
    const reachAt = Math.max(startedAt, forgottenAt);
    const ring = createRing<LogEntry>(limits, {
      position,
      entries: [],
      reachSeq: position,
      reachAt,
      emitted: forgottenAt > -Infinity, // The forgotten audience may have been this one.
    });
    const log: Log = { ring, sinks: new Set(), idleSince: now };
    logs.set(audience, log);
    return log;
  }

  /** Restarts the time until the log is forgotten, after an entry or when a reader leaves. */
  function touch(audience: string, log: Log, now: number): void {
    log.idleSince = now;
    idle.delete(audience);
    if (log.sinks.size > 0) return;
    idle.set(audience, log);
    if (idle.size <= maxIdleLogs) return;
    const [oldest] = idle;
    if (oldest !== undefined) forget(...oldest);
  }

  function connect(node: BackplaneNode): BackplaneLink {
    const { env } = node;
    widen(limits, node.replay);
    startedAt = Math.min(startedAt, env.now());
    const readers = new Set<LogReader>();
    let timer: unknown = null;
    let isClosed = false;

    /** Sets a timer while there are idle logs. */
    function arm(): void {
      if (timer !== null) return;
      const [next] = idle.values();
      if (next === undefined) return;
      timer = env.setTimeout(
        () => {
          timer = null;
          forgetIdle(env.now());
          arm();
        },
        // After the clock was set back, the difference could be longer than timers can wait.
        Math.min(limits.maxAgeMs, Math.max(1, next.idleSince + limits.maxAgeMs - env.now())),
      );
    }

    arms.add(arm);

    function append(audience: string, payload: string): Appended {
      const now = env.now();
      const log = logOf(audience, now);
      const newest = log.ring.at(log.ring.position());
      // After the clock was set back, an entry is still not older than the previous one.
      const entry: LogEntry = { seq: log.ring.position() + 1, at: Math.max(now, newest?.at ?? now), payload };
      log.ring.push(entry, now);
      touch(audience, log, now);
      for (const sink of log.sinks) sink.entries([entry]);
      return { seq: entry.seq, at: entry.at };
    }

    return {
      lingerMs: 0,
      now: () => env.now(),
      status: () => ({ healthy: !isClosed, audiences: logs.size - Number(logs.has(controlAudience)) }),
      append(items) {
        if (isClosed) return rejectClosed('the append is not confirmed');
        const appended = items.map(({ audience, payload }) => append(audience, payload));
        arm();
        return Promise.resolve(appended);
      },
      open(audience, sink) {
        const log = logOf(audience, env.now());
        log.ring.trim(env.now());
        log.sinks.add(sink);
        touch(audience, log, env.now());
        const reader: LogReader = {
          ready: Promise.resolve(),
          close() {
            if (!readers.delete(reader)) return;
            log.sinks.delete(sink);
            touch(audience, log, env.now());
            arm();
          },
        };
        readers.add(reader);
        sink.reset(log.ring.view());
        return reader;
      },
      position(audience) {
        if (isClosed) return rejectClosed('the position cannot be read');
        const log = logOf(audience, env.now());
        touch(audience, log, env.now()); // The caller will soon subscribe with this cursor.
        arm();
        return Promise.resolve(log.ring.position());
      },
      close() {
        isClosed = true;
        for (const reader of readers) reader.close();
        if (timer !== null) env.clearTimeout(timer);
        arms.delete(arm);
        for (const other of arms) other();
        return Promise.resolve();
      },
    };
  }

  return { connect };
}

const rejectClosed = (result: string): Promise<never> =>
  Promise.reject(new Error(`[edict] The memory backplane is closed, so ${result}.`));

/** Hubs that share a backplane share its logs, so the logs keep as much as the greatest limits require. */
function widen(limits: Limits, own: ReplayLimits): void {
  limits.maxEnvelopes = Math.max(limits.maxEnvelopes, own.maxEnvelopes);
  limits.maxAgeMs = Math.max(limits.maxAgeMs, own.maxAgeMs);
  limits.maxBytes = Math.max(limits.maxBytes, own.maxBytes);
}
