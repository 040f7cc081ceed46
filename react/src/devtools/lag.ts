// Describes whether the page has received all messages of each audience. The numbers of a hub are too long to
// compare at a glance, so this uses words.

import type { TimelineRecord } from './record.ts';
import { count, duration, gapText } from './wording.ts';
import type { Of } from './record.ts';

export interface Lag {
  readonly audience: string;
  readonly text: string;
  /** Whether messages are missing, and no resync has run since. */
  readonly isBehind: boolean;
  /** The last sequence number. */
  readonly seq: number;
}

const isGap = (one: TimelineRecord): one is Of<'sse:gap'> => one.message.event === 'sse:gap';

function lagOf(records: readonly TimelineRecord[], audience: string, seq: number, now: number): Lag {
  const resyncAt = records.filter(({ message }) => message.event === 'sse:resync-dispatch').at(-1)?.seq;
  const gap = records
    .filter(isGap)
    .filter((one) => one.message.detail.audience === audience && one.seq > (resyncAt ?? -Infinity))
    .at(-1);
  if (gap !== undefined) return { audience, seq, isBehind: true, text: `${gapText(gap)}, resync pending` };
  const messages = records.filter(
    ({ message }) => message.event === 'directive:received' && message.detail.audience === audience,
  );
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
