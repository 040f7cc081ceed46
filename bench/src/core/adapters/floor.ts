// The floor: the least code by hand that does the workloads. It is a Map of cells, each with a Set of listeners.

import type { Item, Page, Params } from '../backend.ts';
import type { CreateSubject } from '../subject.ts';
import type { Cell, Coalescer } from './coalescer.ts';
import { createCoalescer } from './coalescer.ts';

interface WatchedCell extends Cell {
  listeners: Set<(shown: unknown) => void> | null;
}

interface ListCell extends WatchedCell {
  readonly params: Params;
}

const isWatched = (cell: WatchedCell): boolean => cell.listeners !== null && cell.listeners.size > 0;

function storeAll(pairs: [Cell, unknown, unknown][]): void {
  for (const [cell, , value] of pairs) cell.value = value;
  for (const [cell] of pairs) {
    const { listeners } = cell as WatchedCell; // Every cell here has the field.
    if (listeners !== null) for (const listener of listeners) listener(cell.value);
  }
}

function invalidate<K>(cell: WatchedCell, key: K, coalescer: Coalescer<K>): void {
  cell.isFresh = false;
  if (isWatched(cell)) coalescer.refetch(key, cell);
  else if (cell.isLoading) cell.again = true;
}

function watch(cell: WatchedCell, told: (shown: unknown) => void): () => void {
  const listeners = (cell.listeners ??= new Set());
  listeners.add(told);
  return () => listeners.delete(told);
}

export const createFloor: CreateSubject = (backend, { bulk }) => {
  const items = new Map<number, WatchedCell>();
  const lists = new Map<string, ListCell>();
  const itemFetches = createCoalescer<number>(
    bulk ? backend.items : (ids) => Promise.all(ids.map(backend.item)),
    storeAll,
  );
  const listFetches = createCoalescer<string>(
    (keys) => Promise.all(keys.map((key) => backend.list((lists.get(key) as ListCell).params))), // A key of the map.
    storeAll,
  );
  const blank = (): WatchedCell => ({
    value: undefined,
    isFresh: false,
    isLoading: false,
    again: false,
    listeners: null,
  });

  function itemCell(id: number): WatchedCell {
    let cell = items.get(id);
    if (cell === undefined) items.set(id, (cell = blank()));
    if (!cell.isFresh && !cell.isLoading) void itemFetches.read(id, cell);
    return cell;
  }

  const keyOf = ({ team, page }: Params): string => `${team}:${page}`;

  function listCell(params: Params): ListCell {
    const key = keyOf(params);
    let cell = lists.get(key);
    if (cell === undefined) lists.set(key, (cell = { ...blank(), params }));
    if (!cell.isFresh && !cell.isLoading) void listFetches.read(key, cell);
    return cell;
  }

  return {
    look: (id) => items.get(id)?.value,
    read: (id) => void itemCell(id),
    async load(id) {
      const cell = blank();
      items.set(id, cell);
      await itemFetches.read(id, cell);
      return cell.value;
    },
    item: (id) => items.get(id)?.value as Item | undefined, // As stored.
    watch: (id, told) => watch(itemCell(id), told),
    invalidation: (ids) => () => {
      for (const id of ids) {
        const cell = items.get(id);
        if (cell !== undefined) invalidate(cell, id, itemFetches);
      }
    },
    readList: (params) => void listCell(params),
    list: (params) => lists.get(keyOf(params))?.value as Page | undefined, // As stored.
    watchList: (params, told) => watch(listCell(params), told),
    listInvalidation: (team) => () => {
      for (const [key, cell] of lists)
        if (team === undefined || cell.params.team === team) invalidate(cell, key, listFetches);
    },
    seed: (ids) => ids.forEach((id) => void itemCell(id)),
    dispose() {
      items.clear();
      lists.clear();
    },
  };
};
