// A client may come from a node whose reader was ahead of this one. The entries up to its sequence number are then
// not lost, but arrive later (D-HUB-7).

import type { Channel } from '../deliver/channel.ts';
import type { AudienceStart } from '../deliver/connection.ts';
import type { HubEnv } from '../env.ts';
import type { BackplaneLink } from '../log/backplane.ts';

/** The longest wait for the reader. After that, the client resyncs. */
const maxWaitMs = 1000;

type Timers = Pick<HubEnv, 'setTimeout' | 'clearTimeout'>;

/** Null when the channel has reached the cursor. Otherwise resolves when it has, or will not reach it soon. Never rejects. */
export function catchUp(
  { channel, cursor }: AudienceStart,
  link: Pick<BackplaneLink, 'position'>,
  env: Timers,
): Promise<void> | null {
  const seq = cursor.lastSeq ?? Number.NaN; // No position is below NaN.
  return isBehind(channel, seq) ? reach(channel, seq, link, env) : null;
}

const isBehind = (channel: Channel, seq: number): boolean => (channel.ring()?.position() ?? seq) < seq;

async function reach(
  channel: Channel,
  seq: number,
  link: Pick<BackplaneLink, 'position'>,
  env: Timers,
): Promise<void> {
  const newest = await link.position(channel.audience).catch(() => -1);
  if (newest >= seq) await whenAt(channel, seq, env); // Otherwise the number does not exist: the server lost its counter.
}

/** Null when the channel has reached the sequence number. Otherwise resolves when it has, or will not reach it soon. */
export function whenAt(channel: Channel, seq: number, env: Timers): Promise<void> | null {
  if (!isBehind(channel, seq)) return null;
  return new Promise((resolve) => {
    const finish = (): void => {
      env.clearTimeout(timer);
      channel.positionListeners.delete(check);
      resolve();
    };
    const check = (): void => {
      if (!isBehind(channel, seq)) finish();
    };
    const timer = env.setTimeout(finish, maxWaitMs);
    channel.positionListeners.add(check);
  });
}
