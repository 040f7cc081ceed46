// SWR 2 has no core outside of its hook, so the hook runs in components that render null, with a renderer that draws nothing. A watcher is a
// component that stays mounted. A read is a component that is mounted and removed. All components of one task are mounted together at its end.

import { createElement, Fragment, type ReactNode } from 'react';
import useSWR, { type ScopedMutator, SWRConfig, unstable_serialize as serialize, useSWRConfig } from 'swr';
import type { Item, Page, Params } from '../backend.ts';
import { createBlankRoot } from '../blankRenderer.ts';
import type { CreateSubject } from '../subject.ts';

type Key = string | readonly [string, Params];

interface WatcherProps {
  readonly at: Key;
  readonly fetcher: () => Promise<unknown>;
  /** Called at each render, because the hook reports a change by rendering. */
  readonly told: (shown: unknown) => void;
}

/** Components that were mounted together. React skips a group whose element is the same as before. */
interface Group {
  readonly key: number;
  readonly members: Set<ReactNode>;
  element: ReactNode;
}

/** The size of a group. React walks over all siblings of a component that renders, and no real page has 10,000 siblings. */
const groupSize = 100;

const doNothing = (): void => undefined;

function Watcher({ at, fetcher, told }: WatcherProps): null {
  told(useSWR(at, fetcher).data); // SWR only watches fields that the component reads.
  return null;
}

/** Creates a root for all components. */
function createScreen(cache: Map<string, object>): {
  mutate: ScopedMutator;
  /** Mounts a component until the returned function is called. */
  watch: (at: Key, fetcher: () => Promise<unknown>, told: (shown: unknown) => void) => () => void;
  /** Mounts a component, and removes it immediately. */
  read: (at: Key, fetcher: () => Promise<unknown>) => void;
  dispose: () => void;
} {
  // Cached data never becomes stale by its age, as with the other libraries.
  const config = { provider: () => cache as never, revalidateIfStale: false, revalidateOnFocus: false };
  const render = createBlankRoot();
  const groups = new Set<Group>();
  let keys = 0;
  let mutate: ScopedMutator | null = null;

  function Screen({ children }: { children?: ReactNode }): ReactNode {
    ({ mutate } = useSWRConfig());
    return children;
  }

  /** The watchers that will be mounted at the end of the task. */
  let coming: Group[] = [];
  /** The reads that will be mounted at the end of the task, and then removed. */
  let going: Group[] = [];

  function update(group: Group): void {
    group.element = createElement(Fragment, { key: group.key }, [...group.members]);
    if (group.members.size > 0) groups.add(group);
    else groups.delete(group);
  }

  function show(): void {
    const elements = Array.from(groups, ({ element }) => element);
    render(createElement(SWRConfig, { value: config }, createElement(Screen, null, elements)));
  }

  function mount(): void {
    const passing = going;
    [...coming, ...passing].forEach(update);
    coming = [];
    going = [];
    show();
    if (passing.length === 0) return;
    for (const group of passing) groups.delete(group);
    show();
    // React keeps the tree before the current one. A second render releases the removed components, so that they do not count as memory of SWR.
    show();
  }

  function enter(to: Group[], props: WatcherProps): { group: Group; element: ReactNode } {
    if (coming.length + going.length === 0) void Promise.resolve().then(mount);
    let group = to.at(-1);
    if (group === undefined || group.members.size === groupSize)
      to.push((group = { key: ++keys, members: new Set(), element: null }));
    const element = createElement(Watcher, { key: ++keys, ...props });
    group.members.add(element);
    return { group, element };
  }

  show();
  if (mutate === null) throw new Error('React rendered nothing.');
  return {
    mutate,
    watch(at, fetcher, told) {
      const { group, element } = enter(coming, { at, fetcher, told });
      return () => {
        group.members.delete(element);
        if (!groups.has(group)) return;
        update(group);
        show();
      };
    },
    read: (at, fetcher) => void enter(going, { at, fetcher, told: doNothing }),
    dispose: () => render(null),
  };
}

export const createSwr: CreateSubject = (backend) => {
  const cache = new Map<string, { data?: unknown }>();
  const { mutate, watch, read, dispose } = createScreen(cache);
  const itemKey = (id: number): string => `/tickets/${id}`;
  const listKey = (params: Params): readonly [string, Params] => ['/tickets', params];
  const fetchItem = (id: number) => () => backend.item(id);
  const fetchList = (params: Params) => () => backend.list(params);
  const dataOf = (key: Key): unknown => cache.get(serialize(key))?.data;

  return {
    look: (id) => cache.get(itemKey(id))?.data,
    read: (id) => read(itemKey(id), fetchItem(id)),
    item: (id) => dataOf(itemKey(id)) as Item | undefined, // The fetcher's response.
    watch: (id, told) => watch(itemKey(id), fetchItem(id), told),
    // Resolves with the response to the request that the hook starts.
    load: (id) =>
      new Promise((resolve) => {
        read(itemKey(id), () => {
          const response = backend.item(id);
          resolve(response);
          return response;
        });
      }),
    // Invalidates by key, because a filter would check every key of the cache.
    invalidation: (ids) => () => {
      for (const id of ids) void mutate(itemKey(id));
    },
    readList: (params) => read(listKey(params), fetchList(params)),
    list: (params) => dataOf(listKey(params)) as Page | undefined, // The fetcher's response.
    watchList: (params, told) => watch(listKey(params), fetchList(params), told),
    listInvalidation: (team) => () => {
      void mutate(
        (key) =>
          Array.isArray(key) &&
          key[0] === '/tickets' &&
          (team === undefined || (key[1] as Params).team === team), // A key of listKey.
      );
    },
    seed(ids) {
      for (const id of ids) read(itemKey(id), fetchItem(id));
    },
    dispose,
  };
};
