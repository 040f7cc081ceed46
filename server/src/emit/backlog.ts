// How much of a ring something takes up.

import type { ReplayLimits } from '../log/backplane.ts';

/** How many envelopes, and how many bytes of payloads. */
export interface Amount {
  envelopes: number;
  bytes: number;
}

/** So much of a ring may be ahead of those that it is for before authors wait. */
const shareOfRing = 0.25;

/** Takes more of them into account, or with `by: -1` less. */
export function count(amount: Amount, list: readonly { readonly payload: string }[], by: 1 | -1 = 1): void {
  amount.envelopes += by * list.length;
  for (const { payload } of list) amount.bytes += by * payload.length;
}

/** Whether it is much to be ahead with. */
export const isMuch = ({ envelopes, bytes }: Amount, { maxEnvelopes, maxBytes }: ReplayLimits): boolean =>
  envelopes >= maxEnvelopes * shareOfRing || bytes >= maxBytes * shareOfRing;
