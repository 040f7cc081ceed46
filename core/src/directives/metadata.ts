// The metadata of a directive (document §4.6).

import { DEFAULT_AUDIENCE } from '../protocol/names.ts';

/** The position of a directive in the sequence of its audience. */
export interface SequencePosition {
  readonly audience: string | null;
  readonly seq: number | null;
}

/** A directive without one of these values inherits it from its wrapper, then from its envelope (D-DIR-9). */
export interface Metadata extends SequencePosition {
  readonly source: string | null;
  /** The idempotency key. Copies of a directive share it. */
  readonly key: string | null;
}

/** The audience of a directive. */
export const audienceOf = ({ audience }: SequencePosition): string => audience ?? DEFAULT_AUDIENCE;
