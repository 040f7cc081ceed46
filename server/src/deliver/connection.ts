// One stream: a position in each of its audiences, and a socket that takes bytes or is full (D-HUB-3).

import type { Channel } from './channel.ts';
import type { FramedEntry } from './frameCache.ts';
import type { Ring } from '../log/ring.ts';
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

/** A connection's place in one audience. `Channel.next` moves it, `connections.ts` notes when. */
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

/** One stream. Changed by `connections.ts` alone, but for what belongs to the schedule. */
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
