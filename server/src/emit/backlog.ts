// Measures the share of a ring that envelopes take up. Callers of `emit` wait while their backlog is large.

import type { ReplayLimits } from '../log/backplane.ts';

/** Envelopes that are not confirmed or not delivered yet, and the bytes of their payloads. */
export interface Backlog {
  envelopes: number;
  bytes: number;
}

/** The share of the ring that a backlog may take up before callers have to wait. */
const maxShare = 0.25;

/** Adds envelopes to the backlog. */
export function addTo(backlog: Backlog, list: readonly { readonly payload: string }[]): void {
  backlog.envelopes += list.length;
  for (const { payload } of list) backlog.bytes += payload.length;
}

/** Removes envelopes from the backlog. */
export function removeFrom(backlog: Backlog, list: readonly { readonly payload: string }[]): void {
  backlog.envelopes -= list.length;
  for (const { payload } of list) backlog.bytes -= payload.length;
}

/** Whether callers must wait. */
export const isLarge = ({ envelopes, bytes }: Backlog, { maxEnvelopes, maxBytes }: ReplayLimits): boolean =>
  envelopes >= maxEnvelopes * maxShare || bytes >= maxBytes * maxShare;
