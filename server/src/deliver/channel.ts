// One audience on this node: its ring, its subscribers, and the frames that each of them receives next.

import type { BackplaneLink, LogEntry, LogReader, ReplayLimits } from '../log/backplane.ts';
import { createRing, type Ring } from '../log/ring.ts';
import type { Subscription } from './connection.ts';
import { createFrameCache, type FramedEntry, type Frames } from './frameCache.ts';
import type { Scheduled } from './schedule.ts';

/** An audience that this node reads, because it has subscribers or had some recently. */
export interface Channel extends Scheduled {
  readonly kind: 'channel';
  readonly audience: string;
  readonly subscribers: Set<Subscription>;
  /** Requests that keep the channel open until their stream begins. */
  pendingRequests: number;
  readonly reader: LogReader;
  /** Null until the audience was read. It is replaced when the log does not continue (D-HUB-7). */
  readonly ring: () => Ring<FramedEntry> | null;
  /** Called each time the position has moved. */
  readonly positionListeners: Set<() => void>;
  /** Returns the next frames for the subscription, and moves its position. Returns null if it has everything. */
  readonly next: (subscription: Subscription) => Frames | null;
  /** The subscription's position, as an empty envelope. */
  readonly heartbeat: (subscription: Subscription) => Frames;
}

/** The collaborators of a channel. */
export interface ChannelNeeds {
  readonly link: BackplaneLink;
  readonly replay: ReplayLimits;
  readonly heartbeatMs: number;
  /** The channel has something new for its subscribers: these entries, or none when only the position moved. */
  readonly onNews: (channel: Channel, entries: readonly LogEntry[]) => void;
  /** The backplane refuses to read the log, so the streams of its subscribers must end. */
  readonly onEnd: (channel: Channel) => void;
}

/** Starts to read an audience. */
export function openChannel(audience: string, needs: ChannelNeeds): Channel {
  const { link, replay, heartbeatMs, onNews } = needs;
  const name = JSON.stringify(audience);
  const subscribers = new Set<Subscription>();
  const positionListeners = new Set<() => void>();
  let ring: Ring<FramedEntry> | null = null;
  /** The position at which the current ring began. */
  let start = 0;
  let frameCache = createFrameCache(name, heartbeatMs);

  function greet(subscription: Subscription, isRecovered: boolean): Frames {
    subscription.greeting = 'done';
    return frameCache.greeting(subscription.position, isRecovered);
  }

  function next(subscription: Subscription): Frames | null {
    if (ring === null) return null;
    if (subscription.ring !== ring || subscription.position < ring.reachSeq()) {
      // The entries that the subscription needs are gone, so it gets a position and its client resyncs (D-HUB-3,
      // D-HUB-7). If a new log has replaced the old one, the position is the start of the new log, whose entries
      // still have to be sent.
      subscription.position = subscription.ring === ring ? ring.position() : start;
      subscription.ring = ring;
      return subscription.greeting === 'done'
        ? frameCache.position(subscription.position)
        : greet(subscription, false);
    }
    if (subscription.position < ring.position()) {
      const frames = frameCache.after(ring, subscription.position);
      subscription.position = frames.to;
      return frames;
    }
    // The greeting follows the replay, even if the socket was full in between (D-HUB-4).
    return subscription.greeting === 'done'
      ? null
      : greet(subscription, subscription.greeting === 'recovered');
  }

  function positionMoved(): void {
    for (const listener of positionListeners) listener();
  }

  const reader = link.open(audience, {
    reset(view) {
      ring = createRing<FramedEntry>(replay, { ...view, entries: view.entries.map(framed) });
      start = view.position;
      frameCache = createFrameCache(name, heartbeatMs);
      positionMoved();
      if (subscribers.size > 0) onNews(channel, []); // The first call may come before `channel` exists.
    },
    entries(list) {
      const now = link.now();
      for (const entry of list) ring?.push(framed(entry), now);
      positionMoved();
      onNews(channel, list);
    },
    end: () => needs.onEnd(channel),
  });

  const channel: Channel = {
    kind: 'channel',
    dueAt: Infinity,
    heapIndex: -1,
    audience,
    subscribers,
    positionListeners,
    pendingRequests: 0,
    reader,
    ring: () => ring,
    next,
    heartbeat: (subscription) => frameCache.position(subscription.position),
  };
  return channel;
}

const framed = ({ seq, at, payload }: LogEntry): FramedEntry => ({ seq, at, payload, frame: null });
