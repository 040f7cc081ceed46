// One stream: a position in each of its audiences, and a socket that accepts bytes or is full (D-HUB-3).

import type { Ring } from '../log/ring.ts';
import type { Cursor } from '../subscribe/recovery.ts';
import type { Channel } from './channel.ts';
import type { FramedEntry } from './frameCache.ts';
import type { Scheduled } from './schedule.ts';

/**
 * The platform's side of a stream. A process has very many, so an outlet is a small object of a class, without functions of its own.
 * When one throws, only its own connection is closed.
 */
export interface Outlet {
  /** Accepts the bytes. Returns false when the socket is now full; `Connections.drained` is called when it has room again. */
  write(bytes: Uint8Array): boolean;
  /** Ends the stream after the bytes that were written. `isClosing`: the hub closes, so the client must not reuse the socket. */
  end(isClosing: boolean): void;
  /** Closes the socket immediately. */
  destroy(): void;
}

/** One audience of a stream that is about to begin. */
export interface AudienceStart {
  readonly channel: Channel;
  readonly cursor: Cursor;
}

/** A connection's position in one audience. `Channel.next` moves the position, `connections.ts` writes the other fields. */
export interface Subscription {
  readonly connection: Connection;
  readonly channel: Channel;
  /** The log that `position` belongs to. */
  ring: Ring<FramedEntry> | null;
  /** The last sequence number that was written. */
  position: number;
  /** The `recovered` value of the greeting that still has to be sent. */
  greeting: 'recovered' | 'missed' | 'done';
  /** The time of this audience's last frame on this connection. */
  lastFrameAt: number;
}

/** One stream. Only `connections.ts` changes it, except for the fields of the schedule. */
export interface Connection extends Scheduled {
  readonly kind: 'connection';
  readonly outlet: Outlet;
  /** Empty once the stream ends. */
  subscriptions: readonly Subscription[];
  readonly clientId: string | null;
  readonly user: string | null;
  /** The `connectionKey`. */
  readonly key: string | null;
  /** The key whose replay allowance this stream uses. Null if the replay is not limited. */
  readonly replayKey: string | null;
  readonly startedAt: number;
  /** The time at which the stream ends, because of its age or because its authorization expires. */
  endsAt: number;
  /** The time since which the socket is full. Null if it has room. */
  blockedAt: number | null;
  state: 'open' | 'ending' | 'gone';
}

/** Names have no control characters, so a pair of names cannot equal another pair. Null without a client id. */
export const clientKey = ({ user, clientId }: Pick<Connection, 'user' | 'clientId'>): string | null =>
  clientId === null ? null : user === null ? clientId : `${user}\n${clientId}`;

/** Counters of all connections since the start (D-HUB-8). */
export interface Traffic {
  connects: number;
  deliveries: number;
  bytes: number;
  destroyed: number;
}
