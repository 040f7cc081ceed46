// The content of the admin page: the state of one process, without inline results.

import type { Channel } from '../deliver/channel.ts';
import type { Connection } from '../deliver/connection.ts';
import type { HubEnv, LogLevel } from '../env.ts';
import { seqMark, type LogEntry } from '../log/backplane.ts';
import type { HubMetrics } from '../metrics.ts';

/** The state of one process. Times are ISO strings, durations are milliseconds. */
export interface AdminSnapshot {
  readonly at: string;
  readonly metrics: HubMetrics;
  /** The newest streams. */
  readonly connections: readonly ConnectionRow[];
  /** The audiences with the most subscribers. */
  readonly audiences: readonly AudienceRow[];
  /**
   * The last warnings and errors, newest first. They have no details, because details may contain sensitive data.
   */
  readonly log: readonly { readonly at: string; readonly level: LogLevel; readonly message: string }[];
  /** The last envelopes, newest first. */
  readonly envelopes: readonly {
    readonly at: string;
    readonly audience: string;
    readonly seq: number;
    readonly directives: readonly unknown[];
  }[];
}

/** One stream. */
export interface ConnectionRow {
  readonly clientId: string | null;
  readonly user: string | null;
  readonly key: string | null;
  readonly audiences: readonly string[];
  readonly ageMs: number;
  /** How long the socket has been full; null if it has room. */
  readonly blockedMs: number | null;
  /** Envelopes that were not written to the socket yet. */
  readonly behind: number;
}

/** One audience. */
export interface AudienceRow {
  readonly audience: string;
  readonly subscribers: number;
  /** The sequence number of its newest envelope; null while it is being read for the first time. */
  readonly position: number | null;
  /** Envelopes that are kept for replay. */
  readonly kept: number;
  /** The largest number of envelopes that one of its streams still has to receive. */
  readonly maxBehind: number;
}

/** The maximum number of rows in the tables of streams and audiences, and of lines in the logs. */
const maxRows = 100;
const maxLines = 20;

/** Stores the newest log lines and envelopes. */
export interface Recorder {
  readonly log: HubEnv['log'];
  readonly record: (audience: string, entries: readonly LogEntry[]) => void;
  readonly lines: () => AdminSnapshot['log'];
  readonly envelopes: () => AdminSnapshot['envelopes'];
}

/** Creates a recorder that passes log lines on to `env`. */
export function createRecorder(env: Pick<HubEnv, 'log' | 'now'>): Recorder {
  const lines: AdminSnapshot['log'][number][] = [];
  const entries: (LogEntry & { readonly audience: string })[] = [];
  return {
    log(level, message, detail) {
      env.log(level, message, detail);
      if (level !== 'debug') keep(lines, { at: isoTime(env.now()), level, message });
    },
    record(audience, list) {
      for (const entry of list) keep(entries, { ...entry, audience });
    },
    lines: () => lines.toReversed(),
    envelopes: () =>
      entries.toReversed().map(({ audience, seq, at, payload }) => ({
        at: isoTime(at),
        audience,
        seq,
        directives: directivesIn(payload, seq),
      })),
  };
}

function keep<T>(list: T[], item: T): void {
  list.push(item);
  if (list.length > maxLines) list.shift();
}

function directivesIn(payload: string, seq: number): unknown[] {
  const withoutResult = (name: string, value: unknown): unknown => (name === 'result' ? undefined : value);
  return JSON.parse(payload.replaceAll(seqMark, String(seq)), withoutResult) as unknown[]; // The hub wrote it.
}

/** The state of the given streams and channels. */
export function takeSnapshot(
  now: number,
  metrics: HubMetrics,
  { connections, channels }: { connections: Iterable<Connection>; channels: Iterable<Channel> },
  recorder: Recorder,
): AdminSnapshot {
  return {
    at: isoTime(now),
    metrics,
    connections: [...connections]
      .slice(-maxRows)
      .toReversed()
      .map((connection) => connectionRow(connection, now)),
    audiences: [...channels]
      .toSorted((a, b) => b.subscribers.size - a.subscribers.size)
      .slice(0, maxRows)
      .map(audienceRow),
    log: recorder.lines(),
    envelopes: recorder.envelopes(),
  };
}

function connectionRow(connection: Connection, now: number): ConnectionRow {
  const { clientId, user, key, subscriptions, startedAt, blockedAt } = connection;
  return {
    clientId,
    user,
    key,
    audiences: subscriptions.map(({ channel }) => channel.audience),
    ageMs: now - startedAt,
    blockedMs: blockedAt === null ? null : now - blockedAt,
    behind: subscriptions.reduce((sum, { channel, position }) => sum + behind(channel, position), 0),
  };
}

function audienceRow(channel: Channel): AudienceRow {
  const ring = channel.ring();
  let maxBehind = 0;
  for (const { position } of channel.subscribers) maxBehind = Math.max(maxBehind, behind(channel, position));
  return {
    audience: channel.audience,
    subscribers: channel.subscribers.size,
    position: ring?.position() ?? null,
    kept: ring === null ? 0 : ring.position() - ring.reachSeq(),
    maxBehind,
  };
}

const behind = (channel: Channel, position: number): number =>
  Math.max(0, (channel.ring()?.position() ?? position) - position);

const isoTime = (ms: number): string => new Date(ms).toISOString();
