// What a data layer takes in, for a cache beside it: one that hears its directives, and makes requests of its own.

import type { Env } from './env.ts';
import type { DataLayer } from './types/dataLayer.ts';

/** What a cache beside a data layer, such as one behind an adapter, asks of it. */
export interface Intake {
  /** Whether directives may have come before now: some have, or a connection is open or being made. */
  readonly hasBegun: () => boolean;
  /**
   * The cache holds what was requested this long ago, milliseconds: with its first connection the data layer asks the hub for all that was
   * said since (D-SSE-8). Returns whether it is too late for that: the stream was asked for less, or there was a gap.
   */
  readonly noteRequest: (ageMs: number) => boolean;
  /** Calls back once, when the data layer is disposed. Returns what ends it. */
  readonly onDispose: (callback: () => void) => () => void;
}

const intakes = new WeakMap<object, Intake>();

export const showIntake = (layer: object, intake: Intake): void => void intakes.set(layer, intake);

/** What a data layer takes in; null of what is none. For adapters. */
export const intakeOf = (dl: DataLayer): Intake | null => intakes.get(dl) ?? null; // Whatever it is in JavaScript, a key may be asked for.

/** Who wants to know when a data layer is disposed. */
export interface Endings {
  readonly on: Intake['onDispose'];
  readonly tell: () => void;
}

export function createEndings(env: Env): Endings {
  const callbacks = new Set<{ run: () => void }>();
  return {
    on(run) {
      const callback = { run };
      callbacks.add(callback);
      return () => void callbacks.delete(callback);
    },
    tell() {
      for (const callback of Array.from(callbacks)) {
        if (!callbacks.delete(callback)) continue;
        try {
          callback.run();
        } catch (error) {
          env.log('error', 'a callback of onDispose threw', error);
        }
      }
    },
  };
}
