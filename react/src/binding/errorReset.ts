// The entries whose errors Suspense hooks threw to error boundaries, and stale entries that they showed. The reset of a boundary requests them
// again.

/** Functions that request a level again, by the name of the level, oldest failure first. */
export type ThrownEntries = Map<string, () => void>;

/**
 * The maximum number of failures, more than a screen shows. A page that stays open for days without a reset must
 * not keep every failure.
 */
const maxEntries = 500;

/** This is also called while React renders, possibly several times. Storing the same key again changes nothing. */
export function noteThrown(thrown: ThrownEntries, key: string, retry: () => void): void {
  thrown.set(key, retry);
  for (const oldest of thrown.keys()) {
    if (thrown.size <= maxEntries) break;
    thrown.delete(oldest);
  }
}

export function retryThrown(thrown: ThrownEntries): void {
  const due = [...thrown.values()];
  thrown.clear();
  for (const retry of due) retry();
}
