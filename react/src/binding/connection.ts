// The stream's state as a store.

import type { DataLayer, SseStatus } from '@edict/core';
import type { Store } from './source.ts';

/** What `useConnection` shows of the event stream. */
export interface ConnectionState {
  /** `off`: no attempt is made; `waiting`: for the next attempt, or to be online. */
  readonly status: SseStatus;
  /** Attempts since the last connection that worked; 0 while open. */
  readonly attempt: number;
  /** Milliseconds, of the wait that is under way; else null. */
  readonly retryInMs: number | null;
}

/** A server has no stream, and a page that hydrates shows what the server showed. */
const onServer: ConnectionState = { status: 'off', attempt: 0, retryInMs: null };

const events = ['sse:connecting', 'sse:open', 'sse:error', 'sse:close'] as const;

export function createConnectionStore(dl: DataLayer): Store<ConnectionState> {
  let seen: ConnectionState | null = null;

  function look(): ConnectionState {
    const { status, attempt: tries, retryInMs } = dl.state().sse;
    // That an open connection has proven itself is told by no event; what counts is how often it was tried in vain.
    const attempt = status === 'open' ? 0 : tries;
    if (seen?.status === status && seen.attempt === attempt && seen.retryInMs === retryInMs) return seen;
    return (seen = { status, attempt, retryInMs });
  }

  return {
    getSnapshot: () => seen ?? look(),
    getServerSnapshot: () => onServer,
    subscribe(callback) {
      const tell = (): void => {
        const before = seen;
        if (look() !== before) callback();
      };
      const ends = events.map((event) => dl.onLifecycle(event, tell));
      // No event says that a wait is now for the network; the changes while it is open are many.
      ends.push(
        dl.onChange(() => {
          if (seen?.status !== 'open') tell();
        }),
      );
      tell(); // Since the render.
      return () => {
        for (const end of ends) end();
      };
    },
  };
}
