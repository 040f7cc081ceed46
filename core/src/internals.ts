// The internals of a data layer, for the packages and adapters that build on it.

import type { Recent } from './directives/recent.ts';
import type { Requesting } from './fetching/batching.ts';
import type { Audiences } from './stream/audiences.ts';

/** A custom source that was passed to `configureDirectiveSource`. */
export interface CustomSource {
  /** The name of the source, such as `websocket`. */
  readonly type: string;
  /** True after `connect` was called, until the connection is ended. */
  readonly isConnected: boolean;
}

/** The parts of a data layer that hydration and the adapters work with. */
export interface Parts extends Requesting {
  readonly audiences: Audiences;
  readonly recent: Recent;
}

/** Not for applications, and not covered by semver. */
export interface Internals {
  /** The custom source, or null while directives arrive by the event stream. */
  readonly customSource: () => CustomSource | null;
  /**
   * Calls back when the refetches that a response's directives caused have settled, in the task that notifies the subscribers of their data.
   * A promise would resolve after React has rendered that data.
   */
  readonly onSettled: (response: Response, callback: () => void) => void;
  /** How many mutations `fetch` has sent. Counted in development only. */
  readonly mutationCount: () => number;
  readonly parts: Parts;
  /**
   * Calls back after each `reset`. The new connection does not replay earlier messages. Returns a function that
   * unsubscribes.
   */
  readonly onReset: (callback: () => void) => () => void;
  /** Aborts when the data layer is disposed. */
  readonly disposed: AbortSignal;
}
