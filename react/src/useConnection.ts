import type { DataLayer, SseRole, SseStatus } from '@edict/core';
import * as React from 'react';
import { type Store, useStore } from './binding/useStore.ts';
import { useDL } from './DLProvider.tsx';

/** The state of the event stream. */
export interface ConnectionState {
  /** `off`: no attempt is made. `waiting`: the next attempt waits for its time, or for the network. */
  readonly status: SseStatus;
  /** The number of attempts since the last connection that worked. 0 while the stream is open. */
  readonly attempt: number;
  /** The length of the current wait in milliseconds, or null. */
  readonly retryInMs: number | null;
  /** With a shared stream, whether this tab holds the stream of the browser (`leader`) or receives it from another tab (`follower`). Otherwise null. */
  readonly role: SseRole | null;
}

/** What `useConnection` returns. */
export interface Connection extends ConnectionState {
  /** Connects, or ends the wait for the next attempt. */
  readonly connect: () => void;
  /** Ends the stream until `connect` is called. */
  readonly disconnect: () => void;
}

/** A server has no stream, and a page that hydrates shows the same as the server. */
const onServer: ConnectionState = { status: 'off', attempt: 0, retryInMs: null, role: null };

function createConnectionStore(dl: DataLayer): Store<ConnectionState> {
  let shown: ConnectionState | null = null;

  function update(): ConnectionState {
    const { status, attempt: attempts, retryInMs, role } = dl.state().sse;
    // Nothing is notified when an open connection counts as stable. Until then, the failed attempts still count for
    // the backoff.
    const attempt = status === 'open' ? 0 : attempts;
    const isShown = shown?.status === status && shown.attempt === attempt && shown.retryInMs === retryInMs;
    if (shown !== null && isShown && shown.role === role) return shown;
    return (shown = { status, attempt, retryInMs, role });
  }

  return {
    getSnapshot: () => shown ?? update(),
    getServerSnapshot: () => onServer,
    subscribe(callback) {
      const notify = (): void => {
        update();
        callback();
      };
      notify(); // For changes since the render, and while it was hidden in an <Activity>.
      return dl.onChange(notify);
    },
  };
}

/** The state of the event stream. On a server, while hydrating, and with a custom source, `status` is `off`. */
export function useConnection(): Connection {
  const dl = useDL();
  const store = React.useMemo(() => createConnectionStore(dl), [dl]);
  const state = useStore(store);
  return { ...state, connect: dl.connectSse, disconnect: dl.disconnectSse };
}
