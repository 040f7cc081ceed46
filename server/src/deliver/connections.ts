// The life of the streams: begin, heartbeats, stalls, age, end (D-HUB-4, D-HUB-6). The only writer of a connection.

import type { HubEnv } from '../env.ts';
import type { Admitted } from '../subscribe/admission.ts';
import type { Recovery } from '../subscribe/recovery.ts';
import type { Channel } from './channel.ts';
import {
  clientKey,
  type AudienceStart,
  type Connection,
  type Outlet,
  type Subscription,
  type Traffic,
} from './connection.ts';
import { encode, retryFrame } from './frame.ts';
import { concat } from './frameCache.ts';
import type { Schedule } from './schedule.ts';

type Range = readonly [min: number, max: number];

/** The streams of one hub. */
export interface Connections {
  /** Subscribes, replays and greets in one step, so that nothing is lost or delivered twice. */
  readonly begin: (admitted: Admitted, outlet: Outlet) => Connection;
  /** Writes the pending frames of one audience for a connection. */
  readonly serve: (subscription: Subscription, now: number) => void;
  /** The socket has room again. */
  readonly drained: (connection: Connection) => void;
  /** The socket is closed. May be called twice. */
  readonly gone: (connection: Connection) => void;
  /** The connection has reached its deadline for a heartbeat, a stall, its age, or its authorization. */
  readonly onDeadline: (connection: Connection, now: number) => void;
  /** Ends all streams in batches, each with a spread `retry:`. Destroys the streams that have not ended after `deadlineMs`. */
  readonly endAll: (retryMs: Range, deadlineMs: number) => Promise<void>;
  /** Ends the streams that match, in batches. Nothing more is delivered to them. Returns their number. */
  readonly endMatching: (fits: (connection: Connection) => boolean) => number;
  readonly all: () => Iterable<Connection>;
  readonly count: () => number;
  /** The number of streams whose socket has been full for at least `ms`. */
  readonly stalled: (ms: number) => number;
}

/** The collaborators of the streams. */
export interface ConnectionsNeeds {
  readonly env: HubEnv;
  readonly traffic: Traffic;
  readonly heartbeatMs: number;
  readonly maxAgeMs: number;
  readonly stallMs: number;
  readonly maxPerClient: number;
  readonly schedule: Pick<Schedule<Connection>, 'put' | 'remove'>;
  readonly recover: (start: AudienceStart) => Recovery;
  /** Bytes of a replay were written. */
  readonly onReplayed: (replayKey: string, bytes: number, now: number) => void;
  /** A channel lost a subscriber. */
  readonly onLeave: (channel: Channel) => void;
  /** A stream has ended. Called once for each stream. */
  readonly onGone: (connection: Connection) => void;
}

/** Streams that end because of their age reconnect soon (D-HUB-4). */
const rotationRetryMs: Range = [50, 250];
/**
 * A replaced stream is usually dead. If it is alive, this delay prevents the two streams from replacing each other
 * continuously.
 */
const replacedRetryMs: Range = [1000, 10_000];
const ageSpread = 0.2;
/** Streams that end in one turn of the event loop. */
const endBatch = 100;
/** The longest time over which a revocation spreads the reconnects: about one millisecond per client. */
const maxRevokedRetryMs = 5000;

/** Creates the streams of a hub. */
export function createConnections(needs: ConnectionsNeeds): Connections {
  const { env, traffic, schedule, heartbeatMs, stallMs } = needs;
  const all = new Set<Connection>();
  /** Open streams by user and client id, oldest first. */
  const byClient = new Map<string, Connection[]>();
  let isClosing = false;
  let onEmpty: (() => void) | null = null;

  const between = ([min, max]: Range): number => min + env.random() * (max - min);

  function begin(
    { audiences, expiresAt, clientId, user, key, replayKey }: Admitted,
    outlet: Outlet,
  ): Connection {
    const now = env.now();
    const age = needs.maxAgeMs * between([1 - ageSpread, 1 + ageSpread]);
    const connection: Connection = {
      kind: 'connection',
      dueAt: Infinity,
      heapIndex: -1,
      outlet,
      subscriptions: [],
      clientId,
      user,
      key,
      replayKey,
      startedAt: now,
      endsAt: Math.min(now + age, expiresAt),
      blockedAt: null,
      state: 'open',
    };
    // An array that grows by `push` would reserve space for 16 more elements.
    connection.subscriptions = audiences.map((audience) => subscribe(connection, audience, now));
    all.add(connection);
    replaceOldest(connection, now);
    traffic.connects += 1;
    deliverAll(connection, now);
    schedule.put(connection, nextDeadline(connection));
    return connection;
  }

  function subscribe(connection: Connection, start: AudienceStart, now: number): Subscription {
    const { channel } = start;
    const { from, recovered } = needs.recover(start);
    const subscription: Subscription = {
      connection,
      channel,
      ring: channel.ring(),
      position: from,
      greeting: recovered ? 'recovered' : 'missed',
      lastFrameAt: now,
    };
    channel.subscribers.add(subscription);
    return subscription;
  }

  /** The newest stream of a client is the live one, so the oldest one is ended (D-HUB-2). */
  function replaceOldest(connection: Connection, now: number): void {
    const name = clientKey(connection);
    if (name === null) return;
    const streams = byClient.get(name);
    if (streams === undefined) return void byClient.set(name, [connection]);
    streams.push(connection);
    const [oldest] = streams;
    if (oldest !== undefined && streams.length > needs.maxPerClient) end(oldest, replacedRetryMs, now);
  }

  function forgetClient(connection: Connection): void {
    const name = clientKey(connection);
    if (name === null) return;
    const others = byClient.get(name)?.filter((each) => each !== connection) ?? [];
    if (others.length === 0) byClient.delete(name);
    else byClient.set(name, others);
  }

  /** Writes bytes and records when the socket is full. A socket that throws receives nothing more. */
  function send(connection: Connection, bytes: Uint8Array, now: number): void {
    traffic.bytes += bytes.length;
    try {
      if (!connection.outlet.write(bytes)) connection.blockedAt = now;
    } catch (error) {
      connection.blockedAt = now;
      failed(connection, error);
    }
  }

  /** Writes the pending frames of one audience for the connection, until none is left or the socket is full. */
  function deliver(subscription: Subscription, now: number): void {
    const { connection, channel } = subscription;
    while (connection.blockedAt === null) {
      const isReplay = subscription.greeting !== 'done';
      const frames = channel.next(subscription);
      if (frames === null) return;
      subscription.lastFrameAt = now;
      traffic.deliveries += frames.envelopes;
      if (isReplay && frames.envelopes > 0 && connection.replayKey !== null)
        needs.onReplayed(connection.replayKey, frames.bytes.length, now);
      send(connection, frames.bytes, now);
    }
  }

  function deliverAll(connection: Connection, now: number): void {
    for (const subscription of connection.subscriptions) deliver(subscription, now);
  }

  function serve(subscription: Subscription, now: number): void {
    deliver(subscription, now);
    moveDeadlineForward(subscription.connection);
  }

  function moveDeadlineForward(connection: Connection): void {
    const deadline = nextDeadline(connection);
    if (deadline < connection.dueAt) schedule.put(connection, deadline);
  }

  /** A full socket gets no heartbeats. Its deadline is the limit on how long it may stay full. */
  function nextDeadline({ endsAt, blockedAt, subscriptions }: Connection): number {
    if (blockedAt !== null) return Math.min(endsAt, blockedAt + stallMs);
    let quietest = Infinity;
    for (const { lastFrameAt } of subscriptions) quietest = Math.min(quietest, lastFrameAt);
    return Math.min(endsAt, quietest + heartbeatMs);
  }

  function onDeadline(connection: Connection, now: number): void {
    // If the clock was set back, both times would be far in the future.
    connection.endsAt = Math.min(connection.endsAt, now + needs.maxAgeMs * (1 + ageSpread));
    if (connection.blockedAt !== null) connection.blockedAt = Math.min(connection.blockedAt, now);
    if (connection.state === 'ending' || isStalled(connection, now)) return destroy(connection);
    if (now >= connection.endsAt) return end(connection, rotationRetryMs, now);
    if (connection.blockedAt === null) sendHeartbeats(connection, now);
    schedule.put(connection, nextDeadline(connection));
  }

  const isStalled = ({ blockedAt }: Connection, now: number): boolean =>
    blockedAt !== null && now - blockedAt >= stallMs;

  /** One write for all quiet audiences (D-HUB-4). */
  function sendHeartbeats(connection: Connection, now: number): void {
    const parts: Uint8Array[] = [];
    for (const subscription of connection.subscriptions) {
      const { channel, lastFrameAt } = subscription;
      const isQuiet = now - lastFrameAt >= heartbeatMs || now < lastFrameAt; // The latter: the clock was set back.
      if (!isQuiet) continue;
      subscription.lastFrameAt = now;
      parts.push(channel.heartbeat(subscription).bytes);
    }
    if (parts.length === 0) return;
    const size = parts.reduce((sum, part) => sum + part.length, 0);
    send(connection, concat(parts, size), now);
  }

  /** Ends a stream properly. A socket that does not accept the end is destroyed after the stall limit. */
  function end(connection: Connection, retryMs: Range, now: number): void {
    if (connection.state !== 'open') return;
    deliverAll(connection, now);
    unsubscribe(connection);
    forgetClient(connection);
    connection.state = 'ending';
    send(connection, encode(retryFrame(between(retryMs))), now);
    schedule.put(connection, now + stallMs);
    try {
      connection.outlet.end(isClosing); // May call `gone` before it returns.
    } catch (error) {
      failed(connection, error);
    }
  }

  function destroy(connection: Connection): void {
    if (connection.state === 'gone') return;
    traffic.destroyed += 1;
    gone(connection);
    try {
      connection.outlet.destroy();
    } catch (error) {
      env.log('warn', 'A stream could not be destroyed', error);
    }
  }

  /** Destroys the connection after this call, because the caller may be iterating over connections. */
  function failed(connection: Connection, error: unknown): void {
    env.log('warn', 'A stream could not be written to, so it is closed', error);
    queueMicrotask(() => destroy(connection));
  }

  function unsubscribe(connection: Connection): void {
    const { subscriptions } = connection;
    connection.subscriptions = [];
    for (const subscription of subscriptions) {
      subscription.channel.subscribers.delete(subscription);
      needs.onLeave(subscription.channel);
    }
  }

  function gone(connection: Connection): void {
    if (connection.state === 'gone') return;
    unsubscribe(connection);
    forgetClient(connection);
    connection.state = 'gone';
    schedule.remove(connection);
    all.delete(connection);
    needs.onGone(connection);
    if (all.size === 0) onEmpty?.();
  }

  function drained(connection: Connection): void {
    if (connection.state !== 'open' || connection.blockedAt === null) return;
    connection.blockedAt = null;
    deliverAll(connection, env.now());
    moveDeadlineForward(connection);
  }

  /** Ends streams in batches, so that the event loop is not blocked. */
  function endInBatches(queue: Connection[], endOne: (connection: Connection) => void): void {
    for (const connection of queue.splice(0, endBatch)) endOne(connection);
    if (queue.length > 0) env.nextTurn(() => endInBatches(queue, endOne));
  }

  function endMatching(fits: (connection: Connection) => boolean): number {
    const matching = [...all].filter((connection) => connection.state === 'open' && fits(connection));
    const retryMs: Range = [
      rotationRetryMs[0],
      clamp(matching.length, rotationRetryMs[1], maxRevokedRetryMs),
    ];
    matching.forEach(unsubscribe);
    endInBatches(matching.slice(), (connection) => {
      // A full socket would end only after it has accepted the pending frames.
      if (connection.blockedAt !== null) destroy(connection);
      else end(connection, retryMs, env.now());
    });
    return matching.length;
  }

  async function endAll(retryMs: Range, deadlineMs: number): Promise<void> {
    isClosing = true;
    const empty = new Promise<void>((done) => {
      onEmpty = done;
      if (all.size === 0) done();
    });
    endInBatches([...all], (connection) => end(connection, retryMs, env.now()));
    const timer = env.setTimeout(() => [...all].forEach(destroy), deadlineMs);
    await empty;
    env.clearTimeout(timer);
  }

  return {
    begin,
    serve,
    drained,
    gone,
    onDeadline,
    endAll,
    endMatching,
    all: () => all,
    count: () => all.size,
    stalled(ms) {
      const now = env.now();
      let count = 0;
      for (const { blockedAt } of all) if (blockedAt !== null && now - blockedAt >= ms) count += 1;
      return count;
    },
  };
}

const clamp = (value: number, min: number, max: number): number => Math.max(min, Math.min(value, max));
