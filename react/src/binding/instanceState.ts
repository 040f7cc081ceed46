// The state that one hook instance keeps between renders. Both parts can be in use at the same time, because a
// transition renders other arguments than the screen shows.

export interface InstanceState<T> {
  /** What React has subscribed to. */
  committed: T | null;
  /**
   * Created by the last render with other arguments, and not committed yet. An earlier draft is created again if
   * needed.
   */
  draft: T | null;
}

export const newInstanceState = <T>(): InstanceState<T> => ({ committed: null, draft: null });

export function find<T>({ committed, draft }: InstanceState<T>, isWanted: (one: T) => boolean): T | null {
  if (committed !== null && isWanted(committed)) return committed;
  return draft !== null && isWanted(draft) ? draft : null;
}

/** React subscribes after it has committed a render, so the draft is not needed anymore. */
export function commit<T>(instance: InstanceState<T>, one: T): void {
  instance.committed = one;
  instance.draft = null;
}
