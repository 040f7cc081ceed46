// A directive that is being applied: what is known of it beside what it says, and how what becomes of it is reported.

import type { LifecycleEvents } from './lifecycleEvents.ts';
import type { NormalDirective } from './rules/normalize.ts';
import type { Place } from './rules/sequence.ts';

/** A directive's metadata, with that of its wrapper and its envelope filled in. */
export interface Facts extends Place {
  readonly source: string | null;
  /** On the pull path, the ordinal of the mutation: its results count as requested then (D-FETCH-3). */
  readonly requested?: number | undefined;
  /** It came in the answer of a mutation of this client, and its place among the others is known, by its request or by its echo. */
  readonly isPulled?: boolean;
  /** What another copy of the directive has as well: its idempotency key, or that of its wrapper. */
  readonly copyOf?: string | null;
}

/** A directive about entries, once it is known what it names. */
export type Leaf = Extract<NormalDirective, { kind: 'item' } | { kind: 'collection' }>;

/** How directives that are not applied, or not as they came, are reported. */
export interface Report {
  skip: (directive: NormalDirective, reason: LifecycleEvents['directive:skipped']['reason']) => void;
  reject: (directive: unknown, issues: LifecycleEvents['directive:rejected']['issues']) => void;
}
