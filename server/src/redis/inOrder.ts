// What is sent again must not come behind what was sent after it (D-HUB-5).

/** What may be sent again. */
export interface Attempt<T> {
  readonly send: () => Promise<T>;
  /** Where sending again may help: does what is needed before; rejects where that has failed, too. */
  readonly mend: (error: unknown) => Promise<unknown> | null;
}

interface Waiting {
  readonly call: number;
  readonly go: () => void;
}

/**
 * Makes a function that sends in the order of its calls. What has failed and was mended is sent once more: not before all that is under way
 * has its answer, and not at all where something later was stored meanwhile. Whoever comes then waits behind it.
 */
export function createOrder(): <T>(attempt: Attempt<T>) => Promise<T> {
  let calls = 0;
  /** The latest call that was stored. */
  let stored = 0;
  let underWay = 0;
  /** What is sent next, in its order, once nothing is under way; null: what comes is sent at once. */
  let next: { readonly again: Waiting[]; readonly behind: (() => void)[] } | null = null;

  function ended(): void {
    underWay -= 1;
    if (next === null || underWay > 0) return;
    const { again, behind } = next;
    next = null;
    for (const { go } of again.toSorted((a, b) => a.call - b.call)) go();
    for (const go of behind) go();
  }

  async function store<T>(send: () => Promise<T>, call: number): Promise<T> {
    const result = await send();
    stored = Math.max(stored, call);
    return result;
  }

  async function once<T>(send: () => Promise<T>, call: number): Promise<T> {
    underWay += 1;
    try {
      return await store(send, call);
    } finally {
      ended();
    }
  }

  async function first<T>({ send, mend }: Attempt<T>, call: number): Promise<T> {
    underWay += 1;
    try {
      return await store(send, call);
    } catch (error) {
      const mending = mend(error);
      if (mending === null) throw error;
      const { again } = (next ??= { again: [], behind: [] });
      const isMended = await mending.then(
        () => true,
        () => false,
      );
      if (!isMended) throw error;
      const sentAgain = new Promise<T>((resolve, reject) => {
        const go = (): void => (call > stored ? resolve(once(send, call)) : reject(error));
        again.push({ call, go });
      });
      return sentAgain; // Not awaited: this is over, that begins when all is.
    } finally {
      ended();
    }
  }

  return (attempt) => {
    const call = (calls += 1);
    if (next === null) return first(attempt, call);
    const { behind } = next;
    return new Promise((resolve) => behind.push(() => resolve(first(attempt, call))));
  };
}
