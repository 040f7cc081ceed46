// What one hook instance remembers between renders: what React has subscribed to, and what a render made that is not committed.
// Both can be alive at once: a transition renders other arguments than the screen shows.

export interface InstanceState<T> {
  /** What React has subscribed to. */
  committed: T | null;
  /** Of the last render with other arguments, which is not committed. An earlier one is simply made again. */
  draft: T | null;
}

export const newInstanceState = <T>(): InstanceState<T> => ({ committed: null, draft: null });

export function find<T>({ committed, draft }: InstanceState<T>, isIt: (one: T) => boolean): T | null {
  if (committed !== null && isIt(committed)) return committed;
  return draft !== null && isIt(draft) ? draft : null;
}

/** The next render makes another one. */
export function drop<T>(memory: InstanceState<T>): void {
  memory.committed = null;
}

/** React subscribes when it has committed a render: the draft is of no more use. */
export function commit<T>(memory: InstanceState<T>, one: T): void {
  memory.committed = one;
  memory.draft = null;
}
