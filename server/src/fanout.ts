// Brings news to many connections, a slice of them in a turn of the event loop, so that the loop is never held (D-HUB-3).
// Frames that come while a pass is under way are picked up, joined, by whoever has not been served yet, and by the next pass.

import type { ReplayLimits } from './backplane.ts';
import type { Channel } from './channel.ts';
import { serve, type Subscription, type Traffic } from './connection.ts';
import type { HubEnv } from './env.ts';

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
  /** The channel has something that its subscribers do not have. */
  readonly announce: (channel: Channel) => void;
  /**
   * Takes note of what was appended. Null while its author may go on at once; else resolves when subscribers were served. An author
   * that waits for each list, and for nothing else, would let no socket be written to before the ring had moved past everybody.
   */
  readonly pace: (envelopes: number, bytes: number) => Promise<void> | null;
}

/** So much of a ring may fill up between two walks before authors wait. */
const shareOfRing = 0.25;

/** Walks the subscribers of channels with news, one channel after the other. */
export function createFanout(env: HubEnv, traffic: Traffic, replay: ReplayLimits): Fanout {
  const waiting = new Set<Channel>();
  /** The walk under way. A set's iterator stays right while subscribers come and go. */
  let walk: Iterator<Subscription> | null = null;
  let isScheduled = false;
  /** Appended since the last walk ended. */
  let envelopesAhead = 0;
  let bytesAhead = 0;
  /** Authors that wait for a walk to end. */
  let authors: (() => void)[] = [];

  function walked(): void {
    envelopesAhead = 0;
    bytesAhead = 0;
    if (authors.length === 0) return;
    const released = authors;
    authors = [];
    for (const goOn of released) goOn();
  }

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    env.nextTurn(slice);
  }

  function slice(): void {
    isScheduled = false;
    const began = env.now();
    const enough = traffic.bytes + maxBytesPerSlice;
    let now = began;
    for (let served = 1; served <= maxPerSlice; served += 1) {
      const subscription = nextSubscriber();
      if (subscription === null) return;
      if (subscription.connection.blockedAt === null) serve(subscription, now, traffic);
      if (served % clockEvery === 0) {
        now = env.now();
        if (now - began >= maxMsPerSlice || traffic.bytes >= enough) break;
      }
    }
    schedule();
  }

  function nextSubscriber(): Subscription | null {
    for (;;) {
      const step = walk?.next();
      if (step !== undefined && step.done !== true) return step.value;
      if (step !== undefined) walked();
      const [channel] = waiting;
      if (channel === undefined) {
        walk = null;
        return null;
      }
      // Taken off before its walk begins: news that comes during the walk puts it on again.
      waiting.delete(channel);
      walk = channel.subscribers.values();
    }
  }

  return {
    announce(channel) {
      if (channel.subscribers.size === 0) return;
      waiting.add(channel);
      schedule();
    },
    pace(envelopes, bytes) {
      if (!isScheduled) return null; // Everybody has everything.
      envelopesAhead += envelopes;
      bytesAhead += bytes;
      const mayGoOn =
        envelopesAhead < replay.maxEnvelopes * shareOfRing && bytesAhead < replay.maxBytes * shareOfRing;
      return mayGoOn ? null : new Promise((done) => authors.push(done));
    },
  };
}
