// A client may come from a node whose reader was ahead of this one. Its sequence number is then not lost, but still to arrive (D-HUB-7).

import type { Channel } from '../deliver/channel.ts';
import type { AudienceStart } from '../deliver/connection.ts';
import type { HubEnv } from '../env.ts';
import type { BackplaneLink } from '../log/backplane.ts';
import { firstOutcome } from './firstOutcome.ts';

/** How long to wait for the reader. After that, the client resyncs. */
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
  const check = (): void => {
    if (hasReached()) wait.settle();
  };
  const wait = firstOutcome<void>(env, () => channel.positionListeners.delete(check));
  wait.limit(maxWaitMs, () => undefined);
  channel.positionListeners.add(check);
  await wait.outcome;
}
