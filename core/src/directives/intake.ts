// What a data layer takes in, for a cache beside it: one that hears its directives, and makes requests of its own.

import type { DataLayer } from '../types/dataLayer.ts';

/** What a cache beside a data layer, such as one behind an adapter, asks of it. */
export interface Intake {
  /** Whether a directive has been applied already, by whatever way. */
  readonly hasAny: () => boolean;
  /**
   * The cache holds what was requested this long ago, milliseconds: with its first connection the data layer asks the hub for all that was
   * said since (D-SSE-8). Returns whether it is too late for that: the stream was asked for less, or there was a gap.
   */
  readonly noteRequest: (ageMs: number) => boolean;
  /** Aborts when the data layer is disposed. */
  readonly ended: AbortSignal;
}

const intakes = new WeakMap<object, Intake>();

export const showIntake = (layer: object, intake: Intake): void => void intakes.set(layer, intake);

/** What a data layer takes in; null of what is none. For adapters. */
export const intakeOf = (dl: DataLayer): Intake | null => intakes.get(dl) ?? null; // Whatever it is in JavaScript, a key may be asked for.
