// Who is told of a change: nobody, one callback, or a table of them. Most entries have one watcher, and then nothing else.

/** A callback that is told of changes. */
export type Watcher = () => void;

/** In a table, how often each is to be told: whoever watches twice is told twice. */
export type Watchers = Watcher | Map<Watcher, number> | null;

export function watcherCount(watchers: Watchers): number {
  if (watchers === null) return 0;
  if (typeof watchers === 'function') return 1;
  let count = 0;
  for (const times of watchers.values()) count += times;
  return count;
}

/** With one more. A table is changed in its place. */
export function withWatcher(watchers: Watchers, watcher: Watcher): Watchers {
  if (watchers === null) return watcher;
  const table = typeof watchers === 'function' ? new Map([[watchers, 1]]) : watchers;
  return table.set(watcher, (table.get(watcher) ?? 0) + 1);
}

/** Without one of those with this callback. A table is changed in its place. */
export function withoutWatcher(watchers: Watchers, watcher: Watcher): Watchers {
  if (watchers === null || watchers === watcher) return null;
  if (typeof watchers === 'function') return watchers;
  const times = watchers.get(watcher) ?? 0;
  if (times > 1) watchers.set(watcher, times - 1);
  else watchers.delete(watcher);
  return watchers.size === 0 ? null : watchers;
}

/** Tells all, except those that leave or come meanwhile. */
export function tellEach(watchers: Watchers, tell: (watcher: Watcher) => void): void {
  if (watchers === null) return;
  if (typeof watchers === 'function') return tell(watchers);
  for (const [watcher, times] of Array.from(watchers)) {
    for (let told = 0; told < times && told < (watchers.get(watcher) ?? 0); told++) tell(watcher);
  }
}
