/**
 * Lets a Node process end while this timer is pending. On other platforms a timer is a number, and the call does
 * nothing.
 */
export const unref = (handle: unknown): void =>
  (handle as { unref?: () => void } | null | undefined)?.unref?.();
