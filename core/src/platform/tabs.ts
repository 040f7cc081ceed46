// Locks and channels that the tabs of one browser share. Only the shared stream loads this file.

/** What the tabs of one origin share. */
export interface Tabs {
  /**
   * Waits for a lock that at most one tab has. Returns a function that releases the lock or stops the wait. After
   * that, no callback is called. Callbacks are never called in the same task.
   *
   * @param steal takes the lock away from the tab that has it
   * @param onLost another tab took the lock away, or the browser refuses locks
   */
  lock(name: string, steal: boolean, onGranted: () => void, onLost: () => void): () => void;
  /** Opens a channel to all other tabs. Messages of one tab arrive in order. Throws if the browser refuses channels. */
  channel(name: string): TabChannel;
}

/** A channel to all other tabs of the origin: the used part of `BroadcastChannel`. */
export interface TabChannel {
  /** Receives the messages of other tabs. */
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  /** Sends a message to all other tabs. It must be cloneable. */
  postMessage(message: unknown): void;
  /** Ends the channel. */
  close(): void;
}

/** The platform's locks and channels. */
export function platformTabs(): Tabs {
  return {
    lock(name, steal, onGranted, onLost) {
      const ending = new AbortController();
      const { signal } = ending;
      navigator.locks
        // A request that steals the lock never waits, and does not accept a signal.
        .request(name, steal ? { steal } : { signal }, () =>
          signal.aborted
            ? null
            : new Promise((release) => {
                signal.onabort = release;
                onGranted();
              }),
        )
        .catch(() => signal.aborted || onLost());
      return () => ending.abort();
    },
    channel: (name) => new BroadcastChannel(name) as TabChannel, // Its events have data, and more.
  };
}
