// Numbers and logs of one process. Everything happens at once, in the call that asks for it.

import { controlAudience } from './backplane.ts';
import type {
  Appended,
  Backplane,
  BackplaneLink,
  BackplaneNode,
  LogEntry,
  LogReader,
  LogSink,
  ReplayLimits,
} from './backplane.ts';
import { createRing, type Ring } from './ring.ts';

interface Log {
  readonly ring: Ring;
  readonly sinks: Set<LogSink>;
  /** When the last reader left or the last entry came, whichever is later; meaningful without readers. */
  idleSince: number;
}

type Limits = { -readonly [K in keyof ReplayLimits]: ReplayLimits[K] };

/**
 * The default backplane: one process. Its logs reach back to the moment when the first hub connected; an audience is forgotten
 * `replay.maxAgeMs` after its last subscriber left and its last envelope (D-HUB-3). Hubs of the same process may share one.
 */
export function memoryBackplane(): Backplane {
  const logs = new Map<string, Log>();
  /** Logs without readers, the one idle longest first: whoever becomes idle goes to the end. */
  const idle = new Map<string, Log>();
  /** Those of the most demanding hub. Every log looks here, also one that is older than that hub. */
  const limits: Limits = { maxEnvelopes: 0, maxAgeMs: 0, maxBytes: 0 };
  let startedAt: number | null = null;
  /** Of each hub that is open: whoever closes leaves what waits to be forgotten to the others. */
  const arms = new Set<() => void>();
  /**
   * When `idle` was last walked over, and before when there is nothing to forget in it. Each call would else begin with a walk over all that
   * has left its front since, which a map keeps as holes for a while.
   */
  let walkedAt = Infinity;
  let nextWalkAt = -Infinity;
  /** What forgotten audiences leave behind: no new log claims to know more, and no new counter starts lower. */
  let forgottenAt = -Infinity;
  let forgottenSeq = -Infinity;

  function forgetIdle(now: number): void {
    if (now >= walkedAt && now < nextWalkAt) return;
    // The clock was set back: nobody waits for the old one.
    if (now < walkedAt) for (const log of idle.values()) log.idleSince = Math.min(log.idleSince, now);
    walkedAt = now;
    nextWalkAt = now + limits.maxAgeMs; // Whatever becomes idle from now on stays as long.
    for (const [audience, log] of idle) {
      if (now - log.idleSince < limits.maxAgeMs) {
        nextWalkAt = log.idleSince + limits.maxAgeMs;
        break;
      }
      log.ring.trim(Infinity); // What was held moves into `reachAt`.
      forgottenAt = Math.max(forgottenAt, log.ring.reachAt());
      forgottenSeq = Math.max(forgottenSeq, log.ring.position());
      idle.delete(audience);
      logs.delete(audience);
    }
  }

  function logOf(audience: string, now: number): Log {
    forgetIdle(now);
    const known = logs.get(audience);
    if (known !== undefined) return known;
    const position = Math.max(Math.floor(now * 1000), forgottenSeq + 1); // D-HUB-3: the clock in microseconds.
    const reachAt = Math.max(startedAt ?? now, forgottenAt);
    const ring = createRing<LogEntry>(limits, {
      position,
      entries: [],
      reachSeq: position,
      reachAt,
      emitted: forgottenAt > -Infinity, // Which audience that was is forgotten, too: it may have been this one.
    });
    const log: Log = { ring, sinks: new Set(), idleSince: now };
    logs.set(audience, log);
    idle.set(audience, log);
    return log;
  }

  /** An entry or a leaving reader: the time until it is forgotten begins anew. */
  function touch(audience: string, log: Log, now: number): void {
    log.idleSince = now;
    idle.delete(audience);
    if (log.sinks.size === 0) idle.set(audience, log);
  }

  function connect(node: BackplaneNode): BackplaneLink {
    const { env } = node;
    widen(limits, node.replay);
    startedAt ??= env.now();
    const readers = new Set<LogReader>();
    let timer: unknown = null;
    let isClosed = false;

    /** One timer, and only while something waits to be forgotten. */
    function arm(): void {
      if (timer !== null || isClosed) return;
      const [next] = idle.values();
      if (next === undefined) return;
      timer = env.setTimeout(
        () => {
          timer = null;
          forgetIdle(env.now());
          arm();
        },
        // No longer than that, also where the clock was set back by more than timers can wait.
        Math.min(limits.maxAgeMs, Math.max(1, next.idleSince + limits.maxAgeMs - env.now())),
      );
    }

    arms.add(arm);

    function append(audience: string, payload: string): Appended {
      const now = env.now();
      const log = logOf(audience, now);
      const newest = log.ring.at(log.ring.position());
      // A clock that steps back does not make an entry older than the one before it.
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
        if (isClosed) return Promise.reject(new Error('The memory backplane is closed: not confirmed.'));
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
        const log = logOf(audience, env.now());
        touch(audience, log, env.now()); // Who reads a cursor will subscribe with it.
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

/** Hubs that share a backplane share its logs, so the logs keep what the most demanding one asked for. */
function widen(limits: Limits, asked: ReplayLimits): void {
  limits.maxEnvelopes = Math.max(limits.maxEnvelopes, asked.maxEnvelopes);
  limits.maxAgeMs = Math.max(limits.maxAgeMs, asked.maxAgeMs);
  limits.maxBytes = Math.max(limits.maxBytes, asked.maxBytes);
}
