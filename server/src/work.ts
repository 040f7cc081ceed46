// The calls and requests that a hub lets finish when it closes, because their directives would be lost otherwise.

/**
 * The middlewares find the work of a hub under this name. It is a global symbol because each entry point of the package contains its own
 * copy of this module.
 */
const work: unique symbol = Symbol.for('@edict/server/work');

/** The part of a hub that middlewares use. */
export interface WorkHost {
  readonly [work]: { readonly open: Set<Promise<unknown>>; isClosed: boolean };
}

/** Creates the member under which work is added. */
export const workHost = (): WorkHost => ({ [work]: { open: new Set(), isClosed: false } });

/** Makes `close` wait for a promise. Ignores an object without the member, such as a test double `{ emit }`. */
export function addWork(hub: object, promise: Promise<unknown>): void {
  if (!(work in hub)) return;
  const { open } = (hub as WorkHost)[work];
  const end = (): void => void open.delete(promise);
  open.add(promise);
  promise.then(end, end);
}

/** Resolves when there is no work. The hub is closed then. */
export async function closeWork(host: WorkHost): Promise<void> {
  const { [work]: all } = host;
  while (all.open.size > 0) await Promise.allSettled(all.open);
  all.isClosed = true;
}

/** Whether the hub has closed its backplane. False for an object without the member. */
export const isClosed = (hub: object): boolean => work in hub && (hub as WorkHost)[work].isClosed;
