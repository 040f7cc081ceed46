// Joins lists for the same logs that are appended in one turn of the event loop. One script call then stores all
// of them, which is much cheaper for Redis and the node than separate calls.

import type { HubEnv } from '../env.ts';

/** Stores joined items and resolves to one result for each item. */
export type Store<Item, Result> = (items: readonly Item[]) => Promise<readonly Result[]>;

/** The maximum size of a group. Larger groups would block Redis for too long. */
const maxLists = 64;
const maxUnits = 262_144;

interface Group<Item, Result> {
  readonly logs: string;
  readonly items: Item[];
  lists: number;
  units: number;
  readonly stored: Promise<readonly Result[]>;
  readonly start: () => void;
}

/**
 * Returns a function that stores lists in the order of its calls. Only neighbors are joined, so the order stays. Lists for other logs
 * are never joined, so Redis can refuse one log without the others.
 */
export function createGrouping<Item extends { readonly key: string; readonly payload: string }, Result>(
  env: Pick<HubEnv, 'nextTurn'>,
  store: Store<Item, Result>,
): Store<Item, Result> {
  let waiting: Group<Item, Result>[] = [];

  function startAll(): void {
    const groups = waiting;
    waiting = [];
    for (const { start } of groups) start();
  }

  function openGroup(logs: string): Group<Item, Result> {
    if (waiting.length === 0) env.nextTurn(startAll);
    const items: Item[] = [];
    let start = (): void => undefined;
    const stored = new Promise<readonly Result[]>((resolve) => (start = () => resolve(store(items))));
    const group = { logs, items, lists: 0, units: 0, stored, start };
    waiting.push(group);
    return group;
  }

  return async (items) => {
    const logs = logsOf(items);
    const units = items.reduce((sum, { payload }) => sum + payload.length, 0);
    const newest = waiting.at(-1);
    const fits = newest !== undefined && newest.lists < maxLists && newest.units + units <= maxUnits;
    const group = fits && newest.logs === logs ? newest : openGroup(logs);
    const from = group.items.length;
    group.items.push(...items);
    group.lists += 1;
    group.units += units;
    return (await group.stored).slice(from, from + items.length);
  };
}

/** Returns one name for the combination of logs of a list. Most lists have one log. */
function logsOf(items: readonly { readonly key: string }[]): string {
  const [only] = items;
  if (only !== undefined && items.length === 1) return only.key;
  return [...new Set(items.map(({ key }) => key))].toSorted().join('\u0000');
}
