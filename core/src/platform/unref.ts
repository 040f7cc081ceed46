// In Node a timer keeps the process alive, unless it is told not to.

/** For a timer that nobody waits for. */
export const unref = (handle: unknown): void =>
  (handle as { unref?: () => void } | null | undefined)?.unref?.(); // Elsewhere it is a number.
