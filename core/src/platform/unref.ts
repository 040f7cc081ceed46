/** Lets a Node process end although this timer is pending. Elsewhere a timer is a number, and nothing happens. */
export const unref = (handle: unknown): void =>
  (handle as { unref?: () => void } | null | undefined)?.unref?.();
