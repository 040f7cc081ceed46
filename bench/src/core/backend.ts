// The server of the core benchmarks, in the same process. All libraries send their requests to it, and it counts them. A response contains the
// data at the time of its request, and arrives `latencyMs` virtual milliseconds later.

export interface Item {
  readonly id: number;
  readonly version: number;
  readonly title: string;
  readonly status: string;
}

export interface Params {
  readonly team: number;
  readonly page: number;
}

export interface Page {
  readonly ids: readonly number[];
  /** The version of the lists. It grows when the lists change. */
  readonly count: number;
}

export interface Backend {
  /** The number of requests so far. A bulk request counts as one. */
  requests: number;
  /** The delay of the next responses in milliseconds. With 0 they arrive at the end of the task, with null never. */
  latencyMs: number | null;
  item: (id: number) => Promise<Item>;
  items: (ids: readonly number[]) => Promise<Item[]>;
  list: (params: Params) => Promise<Page>;
  /** Changes an item without a message to the library. */
  change: (id: number) => void;
  changeLists: () => void;
  /** The current data of an item. Returns the same object until the item changes. */
  truth: (id: number) => Item;
  listTruth: (params: Params) => Page;
}

const listKey = ({ team, page }: Params): number => team * 100_000 + page;

export function createBackend(): Backend {
  const items = new Map<number, Item>();
  const lists = new Map<number, Page>();
  let listVersion = 1;

  function truth(id: number): Item {
    const known = items.get(id);
    if (known !== undefined) return known;
    const made = { id, version: 1, title: `Ticket ${id}`, status: 'open' };
    items.set(id, made);
    return made;
  }

  function listTruth(params: Params): Page {
    const key = listKey(params);
    const known = lists.get(key);
    if (known !== undefined && known.count === listVersion) return known;
    const made = { ids: [params.team, params.page], count: listVersion };
    lists.set(key, made);
    return made;
  }

  function answer<T>(value: T): Promise<T> {
    backend.requests++;
    const { latencyMs } = backend;
    if (latencyMs === 0) return Promise.resolve(value);
    if (latencyMs === null) return new Promise(() => undefined);
    return new Promise((resolve) => setTimeout(() => resolve(value), latencyMs));
  }

  const backend: Backend = {
    requests: 0,
    latencyMs: 0,
    item: (id) => answer(truth(id)),
    items: (ids) => answer(ids.map(truth)),
    list: (params) => answer(listTruth(params)),
    change(id) {
      const { version, title, status } = truth(id);
      items.set(id, { id, version: version + 1, title, status });
    },
    changeLists() {
      listVersion++;
    },
    truth,
    listTruth,
  };
  return backend;
}
