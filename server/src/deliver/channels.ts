// The audiences that this node reads. Each is opened for its first subscriber and closed some time after the last one (D-HUB-3).

import { openChannel, type Channel, type ChannelNeeds } from './channel.ts';
import type { Schedule } from './schedule.ts';

/** The channels of one hub. */
export interface Channels {
  /** Opens the audience's channel if needed, and keeps it open until `release`. */
  readonly acquire: (audience: string) => Channel;
  /** Ends an `acquire`. Without subscribers, the channel closes after the backplane's linger time. */
  readonly release: (channel: Channel) => void;
  /** A subscriber left. */
  readonly left: (channel: Channel) => void;
  /** A linger time is over. Does nothing if the channel was acquired meanwhile. */
  readonly expire: (channel: Channel) => void;
  readonly get: (audience: string) => Channel | undefined;
  /** All open channels. */
  readonly all: () => Iterable<Channel>;
  readonly count: () => number;
}

/** The collaborators of the channels. */
export interface ChannelsNeeds extends ChannelNeeds {
  readonly now: () => number;
  readonly schedule: Pick<Schedule<Channel>, 'put'>;
}

/** Creates the channels of a hub. */
export function createChannels({ schedule, now, ...channelNeeds }: ChannelsNeeds): Channels {
  const open = new Map<string, Channel>();

  const isIdle = (channel: Channel): boolean =>
    channel.pendingRequests === 0 && channel.subscribers.size === 0;

  function close(channel: Channel): void {
    if (open.get(channel.audience) === channel) open.delete(channel.audience);
    channel.reader.close();
  }

  function closeWhenIdle(channel: Channel): void {
    if (!isIdle(channel)) return;
    const { lingerMs } = channelNeeds.link;
    if (lingerMs === 0) close(channel);
    else schedule.put(channel, now() + lingerMs);
  }

  const needs: ChannelNeeds = {
    ...channelNeeds,
    onEnd(channel) {
      close(channel); // The next subscriber opens it again.
      channelNeeds.onEnd(channel);
    },
  };

  return {
    acquire(audience) {
      let channel = open.get(audience);
      if (channel === undefined) {
        const opened = openChannel(audience, needs);
        opened.reader.ready.catch(() => close(opened)); // The next request opens it again.
        open.set(audience, opened);
        channel = opened;
      }
      channel.pendingRequests += 1;
      return channel;
    },
    release(channel) {
      channel.pendingRequests -= 1;
      closeWhenIdle(channel);
    },
    left: closeWhenIdle,
    expire(channel) {
      if (isIdle(channel)) close(channel);
    },
    get: (audience) => open.get(audience),
    all: () => open.values(),
    count: () => open.size,
  };
}
