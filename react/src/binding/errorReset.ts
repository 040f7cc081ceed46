// The entries whose errors Suspense hooks threw to error boundaries, so that the reset of a boundary can request them again.

/** Functions that request a failed level again, by the name of that level. The first one was thrown longest ago. */
export type ThrownEntries = Map<string, () => void>;

/** More than a screen shows. A page that stays open for days and never resets must not keep every failure. */
const maxEntries = 500;

/** Also called while React renders, possibly several times: noting the same key again changes nothing. */
export function noteThrown(thrown: ThrownEntries, key: string, retry: () => void): void {
  thrown.delete(key);
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
