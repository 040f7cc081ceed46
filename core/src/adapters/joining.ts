// An adapter may connect to a data layer that is already running. Then the hub replays earlier directives, or
// everything is refetched.

import type { DataLayer } from '@edict/core';
import type { Internals } from '@edict/core/internal';
import type { ChangeListener } from './changes.ts';
import { listen } from './changes.ts';

/** The time before the adapter connected. */
export interface JoiningOptions {
  /**
   * The time of the oldest data in the cache, in milliseconds since the epoch, such as the time at which a page was rendered. The first
   * connection requests the directives since then. If that is no longer possible, everything is refetched. Default: now.
   */
  since?: number | undefined;
}

/** The cache contains data that was requested this long ago. Returns whether directives since then may be lost. */
export function noteRequests({ parts }: Internals, ageMs: number): boolean {
  const at = parts.env.now() - Math.ceil(Math.max(0, ageMs));
  parts.fetching.noteRequestAt(at);
  return parts.audiences.hasMissedSince(at);
}

/**
 * Subscribes from now on. Returns the function that ends the subscription.
 * @param ageMs the age of the oldest request of the cache
 */
export function join(
  dl: DataLayer,
  internals: Internals,
  listener: ChangeListener,
  ageMs: number,
): () => void {
  const unlisten = listen(dl, internals, listener);
  const unwatch = internals.onReset(listener.resync);
  const isTooLate = noteRequests(internals, ageMs);
  // Directives that arrived before the subscription are missing.
  const isOpen = dl.state().sse.status !== 'off' || internals.parts.source.info()?.isConnected === true;
  if (isTooLate || isOpen || internals.parts.recent.hasAny()) listener.resync();
  return () => {
    unlisten();
    unwatch();
  };
}

/** Returns the function that ends an adapter. `dispose()` of the data layer ends it too. */
export function endWith({ disposed }: Internals, end: () => void): () => void {
  disposed.addEventListener('abort', end);
  return () => {
    disposed.removeEventListener('abort', end);
    end();
  };
}
