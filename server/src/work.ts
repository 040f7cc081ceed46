// The calls and requests that a hub lets finish when it closes, because their directives would be lost otherwise.

/**
 * The middlewares find the work of a hub under this name. It is a global symbol because each entry point of the package contains its own
 * copy of this module.
 */
const work: unique symbol = Symbol.for('@edict/server/work');

/** The part of a hub that middlewares use. */
export interface WorkHost {
  readonly [work]: Set<Promise<unknown>>;
}

/** Creates the member under which work is added. */
export const workHost = (): WorkHost => ({ [work]: new Set() });

/** Makes `close` wait for a promise. Ignores an object without the member, such as a test double `{ emit }`. */
export function addWork(hub: object, promise: Promise<unknown>): void {
  if (!(work in hub)) return;
  const open = (hub as WorkHost)[work];
  const end = (): void => void open.delete(promise);
  open.add(promise);
  promise.then(end, end);
}

/** Resolves when there is no work. */
export async function workDone(host: WorkHost): Promise<void> {
  while (host[work].size > 0) await Promise.allSettled(host[work]);
}
