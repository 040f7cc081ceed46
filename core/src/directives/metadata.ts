// What is known of a directive beside what it says (document §4.6).

import type { Place } from '../stream/sequence.ts';

/** What holds for a directive that does not say otherwise: that of its wrapper, or else that of its list (D-DIR-9, D-DIR-10). */
export interface Inherited extends Place {
  readonly source: string | null;
  /** On the pull path, the ordinal of the mutation: its results count as requested then (D-FETCH-3). */
  readonly requested?: number | undefined;
  /** Of the nearest wrapper. */
  readonly key?: string | null;
  /** The keys of all wrappers around it: it is no duplicate of what it stands in (D-DIR-10). */
  readonly wrapperKeys?: readonly string[];
}

/** A directive's metadata, with what it inherits filled in. */
export interface Metadata extends Inherited {
  /** What another copy of the directive has as well: its idempotency key, or that of its wrapper. */
  readonly key: string | null;
  /** It came in the answer of a mutation of this client, and its place among the others is known, by its request or by its echo. */
  readonly isPulled: boolean;
}
