// The state that one hook instance keeps between renders. A render that is not committed leaves nothing behind, because a
// transition renders other arguments than the screen shows.

export interface InstanceState<T> {
  /** What React has subscribed to. */
  committed: T | null;
}

export const newInstanceState = <T>(): InstanceState<T> => ({ committed: null });
