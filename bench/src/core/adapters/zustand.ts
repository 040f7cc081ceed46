// Zustand 5, a lower reference. It stores data and notifies listeners, and it does not fetch, so it shares the fetching of the floor. Each
// change replaces the whole state. A watcher is a selector that runs after every change, as in `useStore(store, selector)`.

import { createStore } from 'zustand/vanilla';
import type { Item, Page, Params } from '../backend.ts';
import type { CreateSubject } from '../subject.ts';
import type { Cell } from './coalescer.ts';
import { createCoalescer } from './coalescer.ts';

interface State {
  readonly items: Readonly<Record<number, Item>>;
  readonly lists: Readonly<Record<string, Page>>;
}

interface Counted extends Cell {
  watchers: number;
  readonly params: Params | null;
}

export const createZustand: CreateSubject = (backend, { bulk }) => {
  const store = createStore<State>(() => ({ items: {}, lists: {} }));
  const items = new Map<number, Counted>();
  const lists = new Map<string, Counted>();
  const itemFetches = createCoalescer<number>(
    bulk ? backend.items : (ids) => Promise.all(ids.map(backend.item)),
    (pairs) =>
      store.setState(({ items: before }) => {
        const after = { ...before };
        for (const [, id, item] of pairs) after[id] = item as Item; // The backend's response.
        return { items: after };
      }),
  );
  const listFetches = createCoalescer<string>(
    (keys) => Promise.all(keys.map((key) => backend.list(lists.get(key)?.params as Params))), // A key of the map.
    (pairs) =>
      store.setState(({ lists: before }) => {
        const after = { ...before };
        for (const [, key, page] of pairs) after[key] = page as Page; // The backend's response.
        return { lists: after };
      }),
  );
  const blank = (params: Params | null): Counted => ({
    value: undefined,
    isFresh: false,
    isLoading: false,
    again: false,
    watchers: 0,
    params,
  });
  const keyOf = ({ team, page }: Params): string => `${team}:${page}`;

  function itemCell(id: number): Counted {
    let cell = items.get(id);
    if (cell === undefined) items.set(id, (cell = blank(null)));
    if (!cell.isFresh && !cell.isLoading) void itemFetches.read(id, cell);
    return cell;
  }

  function listCell(params: Params): Counted {
    const key = keyOf(params);
    let cell = lists.get(key);
    if (cell === undefined) lists.set(key, (cell = blank(params)));
    if (!cell.isFresh && !cell.isLoading) void listFetches.read(key, cell);
    return cell;
  }

  function watch(
    cell: Counted,
    select: (state: State) => unknown,
    told: (shown: unknown) => void,
  ): () => void {
    cell.watchers++;
    let before = select(store.getState());
    const stop = store.subscribe((state) => {
      const now = select(state);
      if (now === before) return;
      before = now;
      told(now);
    });
    return () => {
      cell.watchers--;
      stop();
    };
  }

  return {
    look: (id) => store.getState().items[id],
    read: (id) => void itemCell(id),
    async load(id) {
      const cell = blank(null);
      items.set(id, cell);
      await itemFetches.read(id, cell);
      return store.getState().items[id];
    },
    item: (id) => store.getState().items[id],
    watch: (id, told) => watch(itemCell(id), (state) => state.items[id], told),
    invalidation: (ids) => () => {
      for (const id of ids) {
        const cell = items.get(id);
        if (cell === undefined) continue;
        cell.isFresh = false;
        if (cell.watchers > 0) itemFetches.refetch(id, cell);
        else if (cell.isLoading) cell.again = true;
      }
    },
    readList: (params) => void listCell(params),
    list: (params) => store.getState().lists[keyOf(params)],
    watchList(params, told) {
      const key = keyOf(params);
      return watch(listCell(params), (state) => state.lists[key], told);
    },
    listInvalidation: (team) => () => {
      for (const [key, cell] of lists) {
        if (team !== undefined && cell.params?.team !== team) continue;
        cell.isFresh = false;
        if (cell.watchers > 0) listFetches.refetch(key, cell);
        else if (cell.isLoading) cell.again = true;
      }
    },
    seed: (ids) => ids.forEach((id) => void itemCell(id)),
    dispose() {
      items.clear();
      lists.clear();
    },
  };
};
