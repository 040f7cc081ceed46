// One stream: a position in each of its audiences, and a socket that takes bytes or is full (D-HUB-3).

import type { Channel } from './channel.ts';
import type { FramedEntry, Joined } from './joiner.ts';
import type { Ring } from './ring.ts';
import type { Timed } from './schedule.ts';

/**
 * The platform's side of a stream. There are very many: an outlet is one small object, without functions of its own. One that throws is
 * let go of, and nobody else notices.
 */
export interface Outlet {
  /** False: accepted, but full; `drained` of the connection is called when there is room again. */
  write(bytes: Uint8Array): boolean;
  /** Ends the stream after what was written. `isClosing`: nothing else of this hub comes on its socket. */
  end(isClosing: boolean): void;
  /** Lets go of the socket, whatever was written. */
  destroy(): void;
}

/** A connection's place in one audience. */
export interface Subscription {
  readonly connection: Connection;
  readonly channel: Channel;
  /** The log that `position` is a place in. */
  ring: Ring<FramedEntry> | null;
  /** The last number that was written. */
  position: number;
  /** The greeting that is owed, by what it will say. */
  greeting: 'recovered' | 'missed' | 'done';
  /** When this audience last had a frame here. */
  lastFrameAt: number;
}

/** One stream. Changed by `connections.ts` alone. */
export interface Connection extends Timed {
  readonly kind: 'connection';
  readonly outlet: Outlet;
  readonly subscriptions: Subscription[];
  /** Whose place it has. */
  readonly clientId: string | null;
  /** When it is ended, by age or because its authorisation ends. */
  endsAt: number;
  /** Since when the socket is full; null when it is not. */
  blockedAt: number | null;
  state: 'open' | 'ending' | 'gone';
}

/** What connections have done since the start (D-HUB-8). */
export interface Traffic {
  connects: number;
  deliveries: number;
  bytes: number;
  destroyed: number;
}

/** What writing needs. */
export interface Writing {
  readonly traffic: Traffic;
  /** The outlet threw. Others are being written to: it is not taken out of any list within this call. */
  readonly failed: (connection: Connection, error: unknown) => void;
}

/** Hands bytes to the socket and notes when it is full. One that threw takes nothing more. */
export function send(connection: Connection, bytes: Uint8Array, now: number, writing: Writing): void {
  writing.traffic.bytes += bytes.length;
  try {
    if (!connection.outlet.write(bytes)) connection.blockedAt = now;
  } catch (error) {
    connection.blockedAt = now;
    writing.failed(connection, error);
  }
}

/** Writes what one audience has for the connection, until it has everything or the socket is full. */
export function serve(subscription: Subscription, now: number, writing: Writing): void {
  const { connection, channel } = subscription;
  while (connection.blockedAt === null && connection.state === 'open') {
    const joined: Joined | null = channel.next(subscription);
    if (joined === null) return;
    subscription.lastFrameAt = now;
    writing.traffic.deliveries += joined.envelopes;
    send(connection, joined.bytes, now, writing);
  }
}
