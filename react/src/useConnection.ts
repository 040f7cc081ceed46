import * as React from 'react';
import type { ConnectionState } from './binding/connection.ts';
import { createConnectionStore } from './binding/connection.ts';
import { useDL } from './DLProvider.tsx';
import { useStore } from './binding/useStore.ts';

/** What `useConnection` returns. */
export interface Connection extends ConnectionState {
  /** Connects, or ends the wait for the next attempt. */
  readonly connect: () => void;
  /** Ends the stream until `connect`. */
  readonly disconnect: () => void;
}

/** The state of the event stream. On a server, while hydrating, and with a custom transport it is `off`. */
export function useConnection(): Connection {
  const dl = useDL();
  const store = React.useMemo(() => createConnectionStore(dl), [dl]);
  const { status, attempt, retryInMs } = useStore(store);
  return { status, attempt, retryInMs, connect: dl.connectSse, disconnect: dl.disconnectSse };
}
