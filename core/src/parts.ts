// The parts of a data layer, for the packages and adapters that build on it.

import type { Recent } from './directives/recent.ts';
import type { Requesting } from './fetching/batching.ts';
import type { SettledWaiters } from './fetching/whenSettled.ts';
import type { Mutations } from './mutations/fetch.ts';
import type { Audiences } from './stream/audiences.ts';
import type { DirectiveSources } from './stream/directiveSources.ts';

/** A custom source that was passed to `configureDirectiveSource`. */
export interface CustomSource {
  /** The name of the source, such as `websocket`. */
  readonly type: string;
  /** True after `connect` was called, until the connection is ended. */
  readonly isConnected: boolean;
}

/** The parts of a data layer that the hooks, hydration, and the adapters work with. `reset` replaces them. */
export interface Parts extends Requesting {
  readonly audiences: Audiences;
  readonly recent: Recent;
  readonly mutations: Mutations;
  readonly waiters: SettledWaiters;
  readonly source: DirectiveSources;
}

/** Not for applications, and not covered by semver. */
export interface Internals {
  readonly parts: Parts;
  /**
   * Calls back after each `reset`. The new connection does not replay earlier messages. Returns a function that
   * unsubscribes.
   */
  readonly onReset: (callback: () => void) => () => void;
  /** Aborts when the data layer is disposed. */
  readonly disposed: AbortSignal;
}
