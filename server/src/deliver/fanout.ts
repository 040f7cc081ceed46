// Brings news to many connections, a slice of them in a turn of the event loop, so that the loop is never held (D-HUB-3).
// Frames that come while a pass is under way are picked up, joined, by whoever has not been served yet, and by the next pass.

import { count, isMuch, type Amount } from '../emit/backlog.ts';
import type { LogEntry, ReplayLimits } from '../log/backplane.ts';
import type { Channel } from './channel.ts';
import type { Subscription, Traffic } from './connection.ts';
import type { HubEnv } from '../env.ts';

/**
 * A slice is over after so many milliseconds. Where a response is written to instead of its socket, the writes come after the slice, in the
 * same turn and unseen by its clock: so many connections and bytes take no longer.
 */
const maxMsPerSlice = 4;
const maxPerSlice = 250;
const maxBytesPerSlice = 2_097_152;
const clockEvery = 8;

/** The passes of one hub. */
export interface Fanout {
  /** The channel has something that its subscribers do not have; `entries` were added to its ring. */
  readonly announce: (channel: Channel, entries: readonly LogEntry[]) => void;
  /**
   * Null while more may be appended for the channel. Else resolves when its subscribers were served, or, where only all channels
   * together got much in this turn, in the next: authors would else let no socket be written to before the ring had moved past everybody.
   */
  readonly pace: (channel: Channel) => Promise<void> | null;
}

/** A channel with news, until they are served: what was added to its ring since the last walk that is over began. */
interface News extends Amount {
  /** Whether the next walk is to go to it. */
  isWaiting: boolean;
  /** Authors that wait for its walk to end. */
  readonly authors: (() => void)[];
}

/** A walk from subscriber to subscriber of one channel. */
interface Walk {
  readonly channel: Channel;
  readonly news: News;
  /** What of the news was there when it began: everybody has that when it ends. */
  readonly envelopes: number;
  readonly bytes: number;
  /** A set's iterator stays right while subscribers come and go. */
  readonly subscribers: Iterator<Subscription>;
}

/**
 * Walks the subscribers of channels with news, one channel after the other.
 * @param serve writes what one audience has for a connection
 */
export function createFanout(
  env: HubEnv,
  traffic: Readonly<Traffic>,
  replay: ReplayLimits,
  serve: (subscription: Subscription, now: number) => void,
): Fanout {
  /** In the order in which they are walked. */
  const unserved = new Map<Channel, News>();
  let walk: Walk | null = null;
  let isScheduled = false;
  /** What came to all channels since the last slice, and authors that wait for the next. */
  const lately: Amount = { envelopes: 0, bytes: 0 };
  const authors: (() => void)[] = [];

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    env.nextTurn(slice);
  }

  function slice(): void {
    isScheduled = false;
    lately.envelopes = 0;
    lately.bytes = 0;
    for (const goOn of authors.splice(0)) goOn();
    const began = env.now();
    const enough = traffic.bytes + maxBytesPerSlice;
    let now = began;
    for (let served = 1; served <= maxPerSlice; served += 1) {
      const subscription = nextSubscriber();
      if (subscription === null) return;
      if (subscription.connection.blockedAt === null) serve(subscription, now);
      if (served % clockEvery === 0) {
        now = env.now();
        if (now - began >= maxMsPerSlice || traffic.bytes >= enough) break;
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
    news.isWaiting = false; // News that come during the walk make it wait again.
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
    if (news.isWaiting) unserved.set(channel, news); // Behind the others.
    news.envelopes -= envelopes;
    news.bytes -= bytes;
    for (const goOn of news.authors.splice(0)) goOn();
  }

  return {
    announce(channel, entries) {
      if (channel.subscribers.size === 0) return;
      let news = unserved.get(channel);
      if (news === undefined) {
        news = { envelopes: 0, bytes: 0, isWaiting: true, authors: [] };
        unserved.set(channel, news);
      }
      news.isWaiting = true;
      count(news, entries);
      count(lately, entries);
      schedule();
    },
    pace(channel) {
      const news = unserved.get(channel);
      if (news !== undefined && isMuch(news, replay)) return new Promise((done) => news.authors.push(done));
      return isMuch(lately, replay) ? new Promise((done) => authors.push(done)) : null;
    },
  };
}
