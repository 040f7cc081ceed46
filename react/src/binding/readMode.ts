// How a hook reads its entry.

import type { Id } from '@edict/core';
import type { Source } from './source.ts';

/** The id of an item, of either form (D-REG-5); null where there is none. @inline */
export type MaybeId = Id | null | undefined;

export interface ReadMode {
  /** There is an `id`, and `enabled` is not false; otherwise nothing is fetched or shown (D-REACT-2). */
  readonly isEnabled: boolean;
  readonly isSilent: boolean;
  /** Enabled and not silent: it is loading from the first render on (D-REACT-5). */
  readonly isEager: boolean;
  /** Suspense hooks wait for what a dehydrated state lacks; the others show it as loading, as the server did. */
  readonly suspends: boolean;
  /** Whether mounting is the end of a read that has its answer; then it is no read of its own (D-REACT-6). */
  readonly isServed: ((source: Source) => boolean) | null;
  /** A row of `useItems`, or a page of a list that grows: it has no `refresh` of its own. */
  readonly isRow: boolean;
}

const modes: ReadMode[] = [];

/** The same object for the same mode: sources are told apart by it, in every render of every row. */
export function readModeOf(isEnabled: boolean, isSilent: boolean, kind: 'plain' | 'row'): ReadMode {
  const at = (isEnabled ? 1 : 0) + (isSilent ? 2 : 0) + (kind === 'row' ? 4 : 0);
  return (modes[at] ??= {
    isEnabled,
    isSilent,
    isEager: isEnabled && !isSilent,
    suspends: false,
    isServed: null,
    isRow: kind === 'row',
  });
}
