// One audience on this node: its ring, its subscribers, and what each of them is sent next.

import type { BackplaneLink, LogEntry, LogReader, ReplayLimits } from '../log/backplane.ts';
import type { Subscription } from './connection.ts';
import { encode, greetingFrame } from './frame.ts';
import { createJoiner, type FramedEntry, type Joined } from './frameCache.ts';
import { createRing, type Ring } from '../log/ring.ts';
import type { Timed } from './schedule.ts';

/** An audience that somebody on this node listens to, or listened to lately. */
export interface Channel extends Timed {
  readonly kind: 'channel';
  readonly audience: string;
  readonly subscribers: Set<Subscription>;
  /** Requests that wait for it to become readable. */
  waiting: number;
  readonly reader: LogReader;
  /** Null until it was read; replaced whole when the log turns out not to continue (D-HUB-7). */
  readonly ring: () => Ring<FramedEntry> | null;
  /** Called each time the position has moved. */
  readonly movers: Set<() => void>;
  /** What the subscription is to be sent next; moves its position. Null when it has everything. */
  readonly next: (subscription: Subscription) => Joined | null;
  /** Whether the subscription has everything, its greeting included. */
  readonly isServed: (subscription: Subscription) => boolean;
  /** The subscription's position, as an empty envelope. */
  readonly heartbeat: (subscription: Subscription) => Joined;
}

/** What a channel does not do itself. */
export interface ChannelNeeds {
  readonly link: BackplaneLink;
  readonly replay: ReplayLimits;
  readonly heartbeatMs: number;
  /** Something new is there for the subscribers: these entries, or none when only the position moved. */
  readonly onNews: (channel: Channel, entries: readonly LogEntry[]) => void;
  /** The log cannot be read any more. Its subscribers' streams have to end. */
  readonly onEnd: (channel: Channel) => void;
}

/** Opens an audience for reading. */
export function openChannel(audience: string, needs: ChannelNeeds): Channel {
  const { link, replay, heartbeatMs, onNews } = needs;
  const name = JSON.stringify(audience);
  const subscribers = new Set<Subscription>();
  const movers = new Set<() => void>();
  let ring: Ring<FramedEntry> | null = null;
  /** Where this ring began. */
  let start = 0;
  /** Of this ring. */
  let joiner = createJoiner(name);

  function greet(subscription: Subscription, isRecovered: boolean): Joined {
    subscription.greeting = 'done';
    return {
      bytes: encode(greetingFrame(name, subscription.position, isRecovered, heartbeatMs)),
      envelopes: 0,
    };
  }

  function next(subscription: Subscription): Joined | null {
    if (ring === null) return null;
    if (subscription.ring !== ring || subscription.position < ring.reachSeq()) {
      // What it needs is gone: a position tells the client, which then resyncs (D-HUB-3, D-HUB-7). It is the current one, but
      // for a log that took the place of another: what was appended to that since is still to be sent.
      const isSince = subscription.ring !== ring && start >= ring.reachSeq();
      subscription.ring = ring;
      subscription.position = isSince ? start : ring.position();
      return subscription.greeting === 'done'
        ? joiner.position(subscription.position)
        : greet(subscription, false);
    }
    if (subscription.position < ring.position()) {
      const frames = joiner.after(ring, subscription.position);
      subscription.position = frames.to;
      return frames;
    }
    // After the replay, also when the socket was full in between (D-HUB-4).
    return subscription.greeting === 'done'
      ? null
      : greet(subscription, subscription.greeting === 'recovered');
  }

  const reader = link.open(audience, {
    reset(view) {
      ring = createRing<FramedEntry>(replay, { ...view, entries: view.entries.map(framed) });
      start = view.position;
      joiner = createJoiner(name);
      for (const moved of movers) moved();
      if (subscribers.size > 0) onNews(channel, []); // Never before `open` has returned: nobody can have subscribed.
    },
    entries(list) {
      const now = link.now();
      for (const entry of list) ring?.push(framed(entry), now);
      for (const moved of movers) moved();
      onNews(channel, list);
    },
    end: () => needs.onEnd(channel),
  });

  const channel: Channel = {
    kind: 'channel',
    dueAt: 0,
    slot: -1,
    audience,
    subscribers,
    movers,
    waiting: 0,
    reader,
    ring: () => ring,
    next,
    isServed: (subscription) =>
      subscription.ring === ring &&
      subscription.position === ring?.position() &&
      subscription.greeting === 'done',
    heartbeat: (subscription) => joiner.position(subscription.position),
  };
  return channel;
}

const framed = ({ seq, at, payload }: LogEntry): FramedEntry => ({ seq, at, payload, frame: null });
