// Describes whether the page has received all messages of each audience. The numbers of a hub are too long to
// compare at a glance, so this uses words.

import { is, isReceived, type TimelineRecord } from './record.ts';
import { count, duration, gapText } from './wording.ts';

export interface Lag {
  readonly audience: string;
  readonly text: string;
  /** Whether messages are missing, and no resync has run since. */
  readonly isBehind: boolean;
  /** The last sequence number. */
  readonly seq: number;
}

function lagOf(records: readonly TimelineRecord[], audience: string, seq: number, now: number): Lag {
  const resyncAt = records.filter(is('sse:resync-dispatch')).at(-1)?.seq;
  const gap = records
    .filter(is('sse:gap'))
    .filter((one) => one.message.detail.audience === audience && one.seq > (resyncAt ?? -Infinity))
    .at(-1);
  if (gap !== undefined) return { audience, seq, isBehind: true, text: `${gapText(gap)}, resync pending` };
  const messages = records.filter(isReceived).filter(({ message }) => message.detail.audience === audience);
  const last = messages.at(-1);
  const since =
    last === undefined ? '' : `, last of ${count(messages.length, 'message')} ${duration(now - last.at)} ago`;
  return { audience, seq, isBehind: false, text: `up to date${since}` };
}

/** @param now milliseconds since the epoch */
export const lagsOf = (
  records: readonly TimelineRecord[],
  lastSeq: Readonly<Record<string, number>>,
  now: number,
): Lag[] => Object.entries(lastSeq).map(([audience, seq]) => lagOf(records, audience, seq, now));
