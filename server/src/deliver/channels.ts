// Which audiences this node reads: opened for the first subscriber, closed a while after the last (D-HUB-3).

import type { BackplaneLink, ReplayLimits } from '../log/backplane.ts';
import { openChannel, type Channel, type ChannelNeeds } from './channel.ts';
import type { Schedule } from './schedule.ts';

/** The channels of one hub. */
export interface Channels {
  /** The audience's channel, opened where needed; it stays until `letGo`. Rejects when the log cannot be read. */
  readonly hold: (audience: string) => Promise<Channel>;
  /** What `hold` gave is not waited for any more; without subscribers it closes after the backplane's linger time. */
  readonly letGo: (channel: Channel) => void;
  /** A subscriber left. */
  readonly left: (channel: Channel) => void;
  /** Its linger time is over. */
  readonly expire: (channel: Channel) => void;
  readonly get: (audience: string) => Channel | undefined;
}

/** What the channels need of the hub. */
export interface ChannelsNeeds {
  readonly link: BackplaneLink;
  readonly replay: ReplayLimits;
  readonly heartbeatMs: number;
  readonly now: () => number;
  readonly schedule: Pick<Schedule<Channel>, 'put' | 'remove'>;
  readonly onNews: ChannelNeeds['onNews'];
  /** Ends the streams of a channel that cannot be read any more. */
  readonly endStreams: (channel: Channel) => void;
}

/** The channels of a hub. */
export function createChannels({ schedule, now, ...needs }: ChannelsNeeds): Channels {
  const open = new Map<string, Channel>();

  const isIdle = (channel: Channel): boolean => channel.waiting === 0 && channel.subscribers.size === 0;

  function close(channel: Channel): void {
    if (open.get(channel.audience) === channel) open.delete(channel.audience);
    schedule.remove(channel);
    channel.reader.close();
  }

  function closeWhenIdle(channel: Channel): void {
    if (!isIdle(channel) || open.get(channel.audience) !== channel) return;
    if (needs.link.lingerMs === 0) close(channel);
    else schedule.put(channel, now() + needs.link.lingerMs);
  }

  function onEnd(channel: Channel): void {
    close(channel); // The next subscriber opens it again.
    needs.endStreams(channel);
  }

  return {
    async hold(audience) {
      const known = open.get(audience);
      const channel = known ?? openChannel(audience, { ...needs, onEnd });
      if (known === undefined) open.set(audience, channel);
      else schedule.remove(known);
      channel.waiting += 1;
      try {
        await channel.reader.ready;
        return channel;
      } catch (error) {
        channel.waiting -= 1;
        close(channel); // The next one who asks opens it anew.
        throw error;
      }
    },
    letGo(channel) {
      channel.waiting -= 1;
      closeWhenIdle(channel);
    },
    left: closeWhenIdle,
    expire(channel) {
      if (isIdle(channel)) close(channel);
    },
    get: (audience) => open.get(audience),
  };
}
