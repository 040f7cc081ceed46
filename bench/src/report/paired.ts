// Compares two measurements whose rounds took turns. The speed of a shared machine changes, but it affects both rounds of a pair in the same
// way.

import { median, ratio } from './tables.ts';

export interface Against {
  readonly middle: number;
  readonly least: number;
  readonly most: number;
}

/** The ratios of the rounds with the same number. Rounds that only one of the measurements has are left out. */
export function against(ours: readonly number[], theirs: readonly number[]): Against {
  const ratios = ours.slice(0, theirs.length).map((each, round) => each / (theirs[round] ?? Number.NaN));
  return { middle: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) };
}

/** The median, followed by the range in brackets. */
export const spread = ({ middle, least, most }: Against): string =>
  `${ratio(middle)} (${ratio(least)}–${ratio(most)})`;
