// Hand-written fetching for a plain store. It joins and batches requests, and fetches keys again that were invalidated during a request. The
// floor and Zustand use it, because they do not fetch.

const windowMs = 50;
const batchSize = 100;

export interface Cell {
  value: unknown;
  isFresh: boolean;
  isLoading: boolean;
  /** The cell was invalidated while it loads, so the response in flight is too old. */
  again: boolean;
}

export interface Coalescer<K> {
  /** Fetches at the end of the task. Resolves when the data is stored. */
  read: (key: K, cell: Cell) => Promise<unknown>;
  /** Fetches when the window closes. */
  refetch: (key: K, cell: Cell) => void;
}

export function createCoalescer<K>(
  ask: (keys: K[]) => Promise<readonly unknown[]>,
  store: (pairs: [Cell, K, unknown][]) => void,
): Coalescer<K> {
  let reads: Map<K, Cell> | null = null;
  let reading: Promise<unknown> = Promise.resolve();
  let refetches: Map<K, Cell> | null = null;

  function start(wanted: Map<K, Cell>): Promise<unknown> {
    const batches: Promise<void>[] = [];
    const keys: K[] = [];
    for (const [key, cell] of wanted) {
      if (cell.isLoading) cell.again = true;
      else {
        cell.isLoading = true;
        cell.isFresh = true;
        keys.push(key);
      }
    }
    for (let i = 0; i < keys.length; i += batchSize) {
      const batch = keys.slice(i, i + batchSize);
      const stored = ask(batch).then((answers) => {
        const pairs: [Cell, K, unknown][] = [];
        const again = new Map<K, Cell>();
        for (let at = 0; at < batch.length; at++) {
          const key = batch[at] as K; // Within its length.
          const cell = wanted.get(key) as Cell; // The batch was made of its keys.
          cell.isLoading = false;
          pairs.push([cell, key, answers[at]]);
          if (cell.again) again.set(key, cell);
          cell.again = false;
        }
        store(pairs);
        if (again.size > 0) void start(again);
      });
      batches.push(stored);
    }
    return Promise.all(batches);
  }

  return {
    read(key, cell) {
      if (reads === null) {
        const wanted = (reads = new Map<K, Cell>());
        reading = Promise.resolve().then(() => {
          reads = null;
          return start(wanted);
        });
      }
      reads.set(key, cell);
      return reading;
    },
    refetch(key, cell) {
      if (refetches === null) {
        const wanted = (refetches = new Map<K, Cell>());
        setTimeout(() => {
          refetches = null;
          void start(wanted);
        }, windowMs);
      }
      refetches.set(key, cell);
    },
  };
}
