// A client may come from a node whose reader was ahead of this one. The entries up to its sequence number are then
// not lost, but arrive later (D-HUB-7).

import type { Channel } from '../deliver/channel.ts';
import type { AudienceStart } from '../deliver/connection.ts';
import type { HubEnv } from '../env.ts';
import type { BackplaneLink } from '../log/backplane.ts';

/** The longest wait for the reader. After that, the client resyncs. */
const maxWaitMs = 1000;

/** Null when the channel has reached the cursor. Otherwise resolves when it has, or will not reach it soon. Never rejects. */
export function catchUp(
  { channel, cursor }: AudienceStart,
  link: Pick<BackplaneLink, 'position'>,
  env: Pick<HubEnv, 'setTimeout' | 'clearTimeout'>,
): Promise<void> | null {
  const seq = cursor.lastSeq ?? Number.NaN;
  const position = channel.ring()?.position() ?? Number.NaN;
  return position < seq ? reach(channel, seq, link, env) : null; // NaN compares false.
}

async function reach(
  channel: Channel,
  seq: number,
  link: Pick<BackplaneLink, 'position'>,
  env: Pick<HubEnv, 'setTimeout' | 'clearTimeout'>,
): Promise<void> {
  const hasReached = (): boolean => (channel.ring()?.position() ?? seq) >= seq;
  const newest = await link.position(channel.audience).catch(() => -1);
  if (newest < seq || hasReached()) return; // The number does not exist: the server lost its counter.
  await new Promise<void>((resolve) => {
    const finish = (): void => {
      env.clearTimeout(timer);
      channel.positionListeners.delete(check);
      resolve();
    };
    const check = (): void => {
      if (hasReached()) finish();
    };
    const timer = env.setTimeout(finish, maxWaitMs);
    channel.positionListeners.add(check);
  });
}
