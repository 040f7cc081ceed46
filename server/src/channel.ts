// One audience on this node: its ring, its subscribers, and the bytes that they are sent.

import type { BackplaneLink, LogEntry, LogReader, ReplayLimits } from './backplane.ts';
import type { Subscription } from './connection.ts';
import { encode, entryFrame, greetingFrame, positionFrame } from './frame.ts';
import { createRing, type Ring } from './ring.ts';
import type { Timed } from './schedule.ts';

/** Bytes ready to be written, and how many envelopes they are. */
export interface Joined {
  readonly bytes: Uint8Array;
  readonly envelopes: number;
}

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

/** An entry and its frame, once somebody was to get it. Each is encoded once on a node, whatever the number of clients (D-HUB-3). */
export interface FramedEntry extends LogEntry {
  frame: Uint8Array | null;
}

/** One write carries about so many bytes at most, so that a client that stalls holds no more than that. */
const maxJoinedBytes = 65_536;
const nothing: Joined = { bytes: new Uint8Array(0), envelopes: 0 };

/** What a channel does not do itself. */
export interface ChannelNeeds {
  readonly link: BackplaneLink;
  readonly replay: ReplayLimits;
  readonly heartbeatMs: number;
  /** Something new is there for the subscribers: these entries, or none when only the position moved. */
  readonly onNews: (channel: Channel, entries: readonly LogEntry[]) => void;
}

/** Opens an audience for reading. */
export function openChannel(audience: string, { link, replay, heartbeatMs, onNews }: ChannelNeeds): Channel {
  const name = JSON.stringify(audience);
  const subscribers = new Set<Subscription>();
  const movers = new Set<() => void>();
  let ring: Ring<FramedEntry> | null = null;
  /** The joined frames that the last asker got: in a pass nearly all subscribers ask for the same. */
  let joined = nothing;
  let joinedFrom = Number.NaN;
  let joinedTo = Number.NaN;
  let position = nothing;
  let positionSeq = Number.NaN;

  /** Joins the frames after `from`, as many as one write carries; returns the number of the last. */
  function join(held: Ring<FramedEntry>, from: number): number {
    if (from === joinedFrom && (joinedTo === held.position() || joined.bytes.length >= maxJoinedBytes))
      return joinedTo;
    const parts: Uint8Array[] = [];
    let size = 0;
    let to = from;
    while (size < maxJoinedBytes) {
      const entry = held.at(to + 1);
      if (entry === undefined) break;
      entry.frame ??= encode(entryFrame(name, entry));
      parts.push(entry.frame);
      size += entry.frame.length;
      to = entry.seq;
    }
    joinedFrom = from;
    joinedTo = to;
    joined = { bytes: concat(parts, size), envelopes: parts.length };
    return to;
  }

  function positionAt(seq: number): Joined {
    if (positionSeq !== seq) position = { bytes: encode(positionFrame(name, seq)), envelopes: 0 };
    positionSeq = seq;
    return position;
  }

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
      // What it needs is gone: the current position tells the client, which then resyncs (D-HUB-3, D-HUB-7).
      subscription.ring = ring;
      subscription.position = ring.position();
      return subscription.greeting === 'done'
        ? positionAt(subscription.position)
        : greet(subscription, false);
    }
    if (subscription.position < ring.position()) {
      subscription.position = join(ring, subscription.position);
      return joined;
    }
    // After the replay, also when the socket was full in between (D-HUB-4).
    return subscription.greeting === 'done'
      ? null
      : greet(subscription, subscription.greeting === 'recovered');
  }

  const reader = link.open(audience, {
    reset(view) {
      ring = createRing<FramedEntry>(replay, { ...view, entries: view.entries.map(framed) });
      joinedFrom = Number.NaN;
      for (const moved of movers) moved();
      if (subscribers.size > 0) onNews(channel, []); // Never before `open` has returned: nobody can have subscribed.
    },
    entries(list) {
      const now = link.now();
      for (const entry of list) ring?.push(framed(entry), now);
      for (const moved of movers) moved();
      onNews(channel, list);
    },
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
    heartbeat: (subscription) => positionAt(subscription.position),
  };
  return channel;
}

const framed = ({ seq, at, payload }: LogEntry): FramedEntry => ({ seq, at, payload, frame: null });

/** One array of bytes; a single part as it is. */
export function concat(parts: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  if (typeof Buffer === 'function') return Buffer.concat(parts, size);
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
