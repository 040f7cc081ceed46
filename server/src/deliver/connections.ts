// The life of the streams: beginning, heartbeats, stalls, age, end (D-HUB-4, D-HUB-6). The only writer of a connection.

import type { Channel } from './channel.ts';
import type { Connection, Outlet, Subscription, Traffic } from './connection.ts';
import type { HubEnv } from '../env.ts';
import { encode, retryFrame } from './frame.ts';
import { concat, type Joined } from './frameCache.ts';
import type { CursorAsk, Recovery } from '../subscribe/recovery.ts';
import type { Schedule } from './schedule.ts';

/** One audience of a stream that begins. */
export interface Seat {
  readonly channel: Channel;
  readonly ask: CursorAsk;
}

/** A stream that begins. */
export interface Start {
  readonly seats: readonly Seat[];
  /** When its authorisation ends, milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly clientId: string | null;
  readonly outlet: Outlet;
}

/** The streams of one hub. */
export interface Connections {
  /** Subscribes, replays and greets in one step: nothing that is emitted meanwhile is lost or doubled. */
  readonly begin: (start: Start) => Connection;
  /** Writes what one audience has for a connection. */
  readonly serve: (subscription: Subscription, now: number) => void;
  /** The socket has room again. */
  readonly drained: (connection: Connection) => void;
  /** The socket is closed, by whomever. May be called twice. */
  readonly gone: (connection: Connection) => void;
  /** Its deadline has come: heartbeat, stall, age or the end of what it was allowed. */
  readonly tend: (connection: Connection, now: number) => void;
  /** Ends all in batches, each with a spread `retry:`; destroys at the deadline what did not end. */
  readonly endAll: (retryMs: readonly [number, number], deadlineMs: number) => Promise<void>;
  /** Ends every stream that subscribes to a channel. Their clients come back at once. */
  readonly endSubscribers: (channel: Channel) => void;
  readonly count: () => number;
  /** Those whose socket has been full for at least so long. */
  readonly stalled: (ms: number) => number;
}

/** What the streams need of the hub. */
export interface ConnectionsNeeds {
  readonly env: HubEnv;
  readonly traffic: Traffic;
  readonly heartbeatMs: number;
  readonly maxAgeMs: number;
  readonly stallMs: number;
  readonly schedule: Pick<Schedule<Connection>, 'put' | 'remove'>;
  readonly recover: (seat: Seat) => Recovery;
  /** A channel lost a subscriber. */
  readonly onLeave: (channel: Channel) => void;
  /** A stream is over: its place is free. Called once for each. */
  readonly onGone: (clientId: string | null) => void;
}

/** Before a rotation the client is told to come back at once, spread a little (D-HUB-4). */
const rotationRetryMs = [50, 250] as const;
const ageSpread = 0.2;
/** Streams that `endAll` ends in one turn of the event loop. */
const endBatch = 100;

/** The streams of a hub. */
export function createConnections(needs: ConnectionsNeeds): Connections {
  const { env, traffic, schedule, heartbeatMs, stallMs } = needs;
  const all = new Set<Connection>();
  /** Set once the hub closes: streams that were being admitted meanwhile end as soon as they have begun. */
  let closing: readonly [number, number] | null = null;
  let onEmpty: (() => void) | null = null;

  const between = ([min, max]: readonly [number, number]): number => min + env.random() * (max - min);

  function begin({ seats, expiresAt, clientId, outlet }: Start): Connection {
    const now = env.now();
    const age = needs.maxAgeMs * between([1 - ageSpread, 1 + ageSpread]);
    const connection: Connection = {
      kind: 'connection',
      dueAt: 0,
      slot: -1,
      outlet,
      subscriptions: [],
      clientId,
      endsAt: Math.min(now + age, expiresAt),
      blockedAt: null,
      state: 'open',
    };
    for (const seat of seats) connection.subscriptions.push(subscribe(connection, seat, now));
    all.add(connection);
    traffic.connects += 1;
    deliverAll(connection, now);
    if (closing !== null) end(connection, closing, now);
    else schedule.put(connection, nextDeadline(connection));
    return connection;
  }

  function subscribe(connection: Connection, seat: Seat, now: number): Subscription {
    const { channel } = seat;
    const { from, recovered } = needs.recover(seat);
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

  /** Hands bytes to the socket and notes when it is full. One that threw takes nothing more. */
  function send(connection: Connection, bytes: Uint8Array, now: number): void {
    traffic.bytes += bytes.length;
    try {
      if (!connection.outlet.write(bytes)) connection.blockedAt = now;
    } catch (error) {
      connection.blockedAt = now;
      failed(connection, error);
    }
  }

  /** Writes what one audience has for the connection, until it has everything or the socket is full. */
  function deliver(subscription: Subscription, now: number): void {
    const { connection, channel } = subscription;
    while (connection.blockedAt === null && connection.state === 'open') {
      const joined = channel.next(subscription);
      if (joined === null) return;
      subscription.lastFrameAt = now;
      traffic.deliveries += joined.envelopes;
      send(connection, joined.bytes, now);
    }
  }

  function deliverAll(connection: Connection, now: number): void {
    for (const subscription of connection.subscriptions) deliver(subscription, now);
  }

  function serve(subscription: Subscription, now: number): void {
    const { connection } = subscription;
    deliver(subscription, now);
    if (connection.blockedAt !== null) hasten(connection); // It must not stay so until the next heartbeat.
  }

  function hasten(connection: Connection): void {
    const deadline = nextDeadline(connection);
    if (deadline < connection.dueAt) schedule.put(connection, deadline);
  }

  /** A full socket gets no heartbeats; what counts then is how long it stays full. */
  function nextDeadline({ endsAt, blockedAt, subscriptions }: Connection): number {
    if (blockedAt !== null) return Math.min(endsAt, blockedAt + stallMs);
    let quietest = Infinity;
    for (const { lastFrameAt } of subscriptions) quietest = Math.min(quietest, lastFrameAt);
    return Math.min(endsAt, quietest + heartbeatMs);
  }

  function tend(connection: Connection, now: number): void {
    if (connection.state === 'gone') return;
    // By a clock that was set back both would be far off.
    connection.endsAt = Math.min(connection.endsAt, now + needs.maxAgeMs * (1 + ageSpread));
    if (connection.blockedAt !== null) connection.blockedAt = Math.min(connection.blockedAt, now);
    if (connection.state === 'ending' || isStalled(connection, now)) return destroy(connection);
    if (now >= connection.endsAt) return end(connection, rotationRetryMs, now);
    if (connection.blockedAt === null) beat(connection, now);
    schedule.put(connection, Math.max(nextDeadline(connection), now + 1));
  }

  const isStalled = ({ blockedAt }: Connection, now: number): boolean =>
    blockedAt !== null && now - blockedAt >= stallMs;

  /** One write for all audiences that were quiet (D-HUB-4). Where frames wait to be written, they are the sign of life. */
  function beat(connection: Connection, now: number): void {
    const beats: Joined[] = [];
    for (const subscription of connection.subscriptions) {
      const { channel, lastFrameAt } = subscription;
      const isQuiet = now - lastFrameAt >= heartbeatMs || now < lastFrameAt; // The latter: the clock was set back.
      if (!isQuiet || !channel.isServed(subscription)) continue;
      subscription.lastFrameAt = now;
      beats.push(channel.heartbeat(subscription));
    }
    if (beats.length === 0) return;
    const parts = beats.map(({ bytes }) => bytes);
    const size = parts.reduce((sum, part) => sum + part.length, 0);
    send(connection, concat(parts, size), now);
  }

  /** Ends a stream properly; a socket that does not take the end is destroyed after the stall limit. */
  function end(connection: Connection, retryMs: readonly [number, number], now: number): void {
    if (connection.state !== 'open') return;
    deliverAll(connection, now);
    unsubscribe(connection);
    connection.state = 'ending';
    send(connection, encode(retryFrame(between(retryMs))), now);
    schedule.put(connection, now + stallMs);
    try {
      connection.outlet.end(closing !== null); // May report `gone` at once.
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

  /** Others are being written to: it is not taken out of any list within this call. */
  function failed(connection: Connection, error: unknown): void {
    env.log('warn', 'A stream could not be written to: it is let go of', error);
    queueMicrotask(() => destroy(connection));
  }

  function unsubscribe(connection: Connection): void {
    for (const subscription of connection.subscriptions.splice(0)) {
      subscription.channel.subscribers.delete(subscription);
      needs.onLeave(subscription.channel);
    }
  }

  function gone(connection: Connection): void {
    if (connection.state === 'gone') return;
    unsubscribe(connection);
    connection.state = 'gone';
    schedule.remove(connection);
    all.delete(connection);
    needs.onGone(connection.clientId);
    if (all.size === 0) onEmpty?.();
  }

  function drained(connection: Connection): void {
    if (connection.state !== 'open' || connection.blockedAt === null) return;
    connection.blockedAt = null;
    deliverAll(connection, env.now());
    hasten(connection);
  }

  async function endAll(retryMs: readonly [number, number], deadlineMs: number): Promise<void> {
    closing = retryMs;
    const empty = new Promise<void>((done) => {
      onEmpty = done;
      if (all.size === 0) done();
    });
    const queue = [...all];
    const endSome = (): void => {
      for (const connection of queue.splice(0, endBatch)) end(connection, retryMs, env.now());
      if (queue.length > 0) env.nextTurn(endSome);
    };
    endSome();
    const timer = env.setTimeout(() => [...all].forEach(destroy), deadlineMs);
    await empty;
    env.clearTimeout(timer);
  }

  return {
    begin,
    serve,
    drained,
    gone,
    tend,
    endAll,
    endSubscribers(channel) {
      for (const { connection } of [...channel.subscribers]) end(connection, rotationRetryMs, env.now());
    },
    count: () => all.size,
    stalled(ms) {
      const now = env.now();
      let count = 0;
      for (const { blockedAt } of all) if (blockedAt !== null && now - blockedAt >= ms) count += 1;
      return count;
    },
  };
}
