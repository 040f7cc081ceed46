// Sends each list once, and a second time when Redis refused it without storing it. The second attempt must not arrive
// behind a later list, because the order of emits is a promise (D-HUB-5, D-HUB-7).

/** A list to send, and the action if it is refused. */
export interface Attempt<T> {
  readonly send: () => Promise<T>;
  /**
   * Removes the cause of the refusal. Resolves when a second attempt can succeed. Returns null for other errors.
   */
  readonly repair: (error: unknown) => Promise<unknown> | null;
}

interface Retry {
  readonly order: number;
  readonly start: () => void;
}

/**
 * Returns a function that sends lists in the order of its calls. A refused list is sent a second time once every list in flight
 * has a response. It is rejected instead when a later list was stored meanwhile. Calls that arrive while a retry is planned wait
 * behind it.
 */
export function createRetryQueue(): <T>(attempt: Attempt<T>) => Promise<T> {
  let calls = 0;
  /** The order of the latest call that was stored. */
  let stored = 0;
  let inFlight = 0;
  /**
   * The calls that start, in this order, once nothing is in flight. While it is null, calls are sent immediately.
   */
  let planned: { readonly retries: Retry[]; readonly behind: (() => void)[] } | null = null;

  function settled(): void {
    inFlight -= 1;
    if (planned === null || inFlight > 0) return;
    const { retries, behind } = planned;
    planned = null;
    for (const { start } of retries.toSorted((a, b) => a.order - b.order)) start();
    for (const start of behind) start();
  }

  async function store<T>(send: () => Promise<T>, order: number): Promise<T> {
    const result = await send();
    stored = Math.max(stored, order);
    return result;
  }

  async function lastAttempt<T>(send: () => Promise<T>, order: number): Promise<T> {
    inFlight += 1;
    try {
      return await store(send, order);
    } finally {
      settled();
    }
  }

  async function firstAttempt<T>({ send, repair }: Attempt<T>, order: number): Promise<T> {
    inFlight += 1;
    try {
      return await store(send, order);
    } catch (error) {
      const repairing = repair(error);
      if (repairing === null) throw error;
      const { retries } = (planned ??= { retries: [], behind: [] });
      const isRepaired = await repairing.then(
        () => true,
        () => false,
      );
      if (!isRepaired) throw error;
      const retried = new Promise<T>((resolve, reject) => {
        const start = (): void => (order > stored ? resolve(lastAttempt(send, order)) : reject(error));
        retries.push({ order, start });
      });
      return retried; // Without `await`: this attempt counts as settled before the second one can start.
    } finally {
      settled();
    }
  }

  return (attempt) => {
    const order = (calls += 1);
    if (planned === null) return firstAttempt(attempt, order);
    const { behind } = planned;
    return new Promise((resolve) => behind.push(() => resolve(firstAttempt(attempt, order))));
  };
}
