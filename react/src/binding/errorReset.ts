// What has failed below error boundaries, so that their reset can ask for it again (D-REACT-6). Whoever uses neither Suspense hooks
// nor the reset bundles nothing of this.

/** What asks for an entry's level again, by its name; the one thrown longest ago comes first. */
export type Thrown = Map<string, () => void>;

/** More than a screen shows. A page that is open for long and never resets must not keep all that ever failed. */
const most = 500;

/** Also noted while rendering: the same key again changes nothing. */
export function noteThrown(thrown: Thrown, key: string, retry: () => void): void {
  thrown.delete(key);
  thrown.set(key, retry);
  for (const oldest of thrown.keys()) {
    if (thrown.size <= most) break;
    thrown.delete(oldest);
  }
}

export function retryThrown(thrown: Thrown): void {
  const due = [...thrown.values()];
  thrown.clear();
  for (const retry of due) retry();
}
