// The subscribers of an entry: none, one callback, or a set of callbacks. Most entries have one, which needs no set.

export type Watcher = () => void;
export type Watchers = Watcher | Set<Watcher> | null;

export const watcherCount = (watchers: Watchers): number =>
  watchers instanceof Set ? watchers.size : watchers === null ? 0 : 1;

/** The callback, or a new function if it is subscribed already: a callback that subscribes twice is called twice. */
export function newWatcher(watchers: Watchers, callback: Watcher): Watcher {
  const isKnown = watchers instanceof Set ? watchers.has(callback) : watchers === callback;
  return isKnown ? () => callback() : callback;
}

/** With one more. A set is changed in its place. */
export function withWatcher(watchers: Watchers, watcher: Watcher): Watchers {
  if (watchers === null) return watcher;
  return watchers instanceof Set ? watchers.add(watcher) : new Set([watchers, watcher]);
}

/** Without this one. A set is changed in its place. */
export function withoutWatcher(watchers: Watchers, watcher: Watcher): Watchers {
  if (watchers instanceof Set) watchers.delete(watcher);
  return watchers === watcher || (watchers instanceof Set && watchers.size === 0) ? null : watchers;
}

/** Calls all subscribers, except those that leave or join meanwhile. */
export function tellEach(watchers: Watchers, tell: (watcher: Watcher) => void): void {
  if (watchers instanceof Set) {
    for (const watcher of Array.from(watchers)) if (watchers.has(watcher)) tell(watcher);
  } else if (watchers !== null) tell(watchers);
}
