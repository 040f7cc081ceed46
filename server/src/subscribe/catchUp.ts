// A client may come from a node whose reader was further than ours: then the numbers are on their way, not lost (D-HUB-7).

import type { BackplaneLink } from '../log/backplane.ts';
import type { Channel } from '../deliver/channel.ts';
import type { HubEnv } from '../env.ts';
import { createWait } from './firstOutcome.ts';

/** A reader that lags further behind than this is not waited for; the client resyncs. */
const patienceMs = 1000;

/** Resolves once the channel has this number, or cannot get it soon. Never rejects. */
export async function catchUp(
  channel: Channel,
  seq: number,
  link: Pick<BackplaneLink, 'position'>,
  env: Pick<HubEnv, 'setTimeout' | 'clearTimeout'>,
): Promise<void> {
  const hasIt = (): boolean => (channel.ring()?.position() ?? seq) >= seq;
  if (Number.isNaN(seq) || hasIt()) return;
  const newest = await link.position(channel.audience).catch(() => -1);
  if (newest < seq || hasIt()) return; // Nobody ever gave this number: the server lost its counter.
  const look = (): void => {
    if (hasIt()) wait.settle();
  };
  const wait = createWait<void>(env, () => channel.movers.delete(look));
  wait.limit(patienceMs, () => undefined);
  channel.movers.add(look);
  await wait.outcome;
}
