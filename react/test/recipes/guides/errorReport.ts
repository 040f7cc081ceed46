// errorReport.ts
import type { DataLayer } from '@edict/core';

/** Calls `show` for each failed request. Returns a function that ends it. */
export function reportErrors(dl: DataLayer, show: (message: string) => void): () => void {
  const ends = (['item:fetch:error', 'collection:fetch:error'] as const).map((event) =>
    dl.onLifecycle(event, ({ detail }) => show(String(detail.error))),
  );
  return () => ends.forEach((end) => end());
}
