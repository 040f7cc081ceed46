// Delivers new entries to the subscribers of a channel, in slices, so that a large fan-out never blocks the event loop (D-HUB-3).

import { addTo, isLarge, type Backlog } from '../emit/backlog.ts';
import type { HubEnv } from '../env.ts';
import type { LogEntry, ReplayLimits } from '../log/backplane.ts';
import type { Channel } from './channel.ts';
import type { Subscription, Traffic } from './connection.ts';

/**
 * A slice ends after this many milliseconds. A write to a response (instead of its socket) happens after the slice, in the same turn, where
 * the clock of the slice cannot see it. The limits on connections and bytes keep those writes short too.
 */
const maxMsPerSlice = 4;
const maxPerSlice = 250;
const maxBytesPerSlice = 2_097_152;
const clockEvery = 8;

/** The fan-out of one hub. */
export interface Fanout {
  /** The channel has something new for its subscribers. `entries` were added to its ring. */
  readonly announce: (channel: Channel, entries: readonly LogEntry[]) => void;
  /**
   * Null while more may be appended for the channel. Otherwise resolves when its subscribers were served. If only the sum of all channels
   * is large, resolves in the next turn: without a pause, no socket would be written to before the rings had moved past every client.
   */
  readonly pace: (channel: Channel) => Promise<void> | null;
}

/** Entries that were added to a channel's ring and not yet sent to all of its subscribers. */
interface News extends Backlog {
  /** Whether another pass must follow the current one. */
  isWaiting: boolean;
  /** Callers of `emit` that wait for the pass to end. */
  readonly callers: (() => void)[];
}

/** One pass over the subscribers of a channel. */
interface Walk {
  readonly channel: Channel;
  readonly news: News;
  /** The entries that existed when the pass began. All subscribers have them when the pass ends. */
  readonly envelopes: number;
  readonly bytes: number;
  /** The iterator of a set stays valid while subscribers are added and removed. */
  readonly subscribers: Iterator<Subscription>;
}

/**
 * Creates the fan-out of a hub. It walks the subscribers of channels with news, one channel after the other.
 * @param serve writes what one audience has for a connection
 */
export function createFanout(
  env: HubEnv,
  traffic: Readonly<Traffic>,
  replay: ReplayLimits,
  serve: (subscription: Subscription, now: number) => void,
): Fanout {
  /** In the order of their passes. */
  const unserved = new Map<Channel, News>();
  let walk: Walk | null = null;
  let isScheduled = false;
  /**
   * Entries that were added to all channels since the last slice, and the callers that wait for the next slice.
   */
  const sinceSlice: Backlog = { envelopes: 0, bytes: 0 };
  const callers: (() => void)[] = [];

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    env.nextTurn(slice);
  }

  function slice(): void {
    isScheduled = false;
    sinceSlice.envelopes = 0;
    sinceSlice.bytes = 0;
    for (const resume of callers.splice(0)) resume();
    const startedAt = env.now();
    const maxBytes = traffic.bytes + maxBytesPerSlice;
    let now = startedAt;
    for (let served = 1; served <= maxPerSlice; served += 1) {
      const subscription = nextSubscriber();
      if (subscription === null) return;
      serve(subscription, now);
      if (served % clockEvery === 0) {
        now = env.now();
        if (now - startedAt >= maxMsPerSlice || traffic.bytes >= maxBytes) break;
      }
    }
    schedule();
  }

  function nextSubscriber(): Subscription | null {
    for (;;) {
      const step = walk?.subscribers.next();
      if (step !== undefined && step.done !== true) return step.value;
      if (walk !== null) end(walk);
      walk = begin();
      if (walk === null) return null;
    }
  }

  function begin(): Walk | null {
    const [next] = unserved;
    if (next === undefined) return null;
    const [channel, news] = next;
    news.isWaiting = false; // News that arrive during the walk set it again.
    return {
      channel,
      news,
      envelopes: news.envelopes,
      bytes: news.bytes,
      subscribers: channel.subscribers.values(),
    };
  }

  function end({ channel, news, envelopes, bytes }: Walk): void {
    unserved.delete(channel);
    if (news.isWaiting) unserved.set(channel, news); // After the other channels.
    news.envelopes -= envelopes;
    news.bytes -= bytes;
    for (const resume of news.callers.splice(0)) resume();
  }

  return {
    announce(channel, entries) {
      if (channel.subscribers.size === 0) return;
      let news = unserved.get(channel);
      if (news === undefined) {
        news = { envelopes: 0, bytes: 0, isWaiting: true, callers: [] };
        unserved.set(channel, news);
      }
      news.isWaiting = true;
      addTo(news, entries);
      addTo(sinceSlice, entries);
      schedule();
    },
    pace(channel) {
      const news = unserved.get(channel);
      if (news !== undefined && isLarge(news, replay)) return new Promise((done) => news.callers.push(done));
      return isLarge(sinceSlice, replay) ? new Promise((done) => callers.push(done)) : null;
    },
  };
}
