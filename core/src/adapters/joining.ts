// An adapter joins a data layer that may be at work already: what was said before is asked for, or everything is.

import type { DataLayer } from '@edict/core';
import type { Internals } from '@edict/core/internal';
import type { ChangeListener } from './changes.ts';
import { listen } from './changes.ts';

/** What an application says of the time before. */
export interface JoiningOptions {
  /**
   * Since when the cache may have been filled, milliseconds since the epoch, such as the moment when a page was rendered: what was said
   * since is asked for with the first connection (D-SSE-8), or everything is invalidated where it is too late for that. Default: now.
   */
  since?: number;
}

/** The cache holds what was requested at this moment. Returns whether what was said since may never be heard. */
export const noteRequests = (internals: Internals, moment: number, now: number): boolean =>
  internals.noteRequest(Math.ceil(Math.max(0, now - moment)));

/**
 * Listens from now on; returns what ends it.
 * @param since when the oldest request of the cache began
 */
export function join(
  dl: DataLayer,
  internals: Internals,
  listener: ChangeListener,
  since: number,
  now: number,
): () => void {
  const unlisten = listen(dl, listener);
  const isTooLate = noteRequests(internals, since, now);
  // What came before we listened was missed.
  const isOpen = dl.state().sse.status !== 'off' || internals.customSource()?.isConnected === true;
  if (isTooLate || isOpen || internals.hasAppliedDirectives()) listener.resync();
  return unlisten;
}

/** What the application may call to end an adapter; the end of the data layer is its own. */
export function endWith({ disposed }: Internals, end: () => void): () => void {
  disposed.addEventListener('abort', end);
  return () => {
    disposed.removeEventListener('abort', end);
    end();
  };
}
