// How the rounds of one stand to those of another that were taken beside them. A machine that is quick in one minute and slow in
// the next shifts both of a pair alike.

import { median, ratio } from './tables.ts';

export interface Against {
  readonly middle: number;
  readonly least: number;
  readonly most: number;
}

/** Round by round, as far as both have one. */
export function against(ours: readonly number[], theirs: readonly number[]): Against {
  const ratios = ours.slice(0, theirs.length).map((each, round) => each / (theirs[round] ?? Number.NaN));
  return { middle: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) };
}

/** The middle round, and how far the rounds went. */
export const spread = ({ middle, least, most }: Against): string =>
  `${ratio(middle)} (${ratio(least)}–${ratio(most)})`;
