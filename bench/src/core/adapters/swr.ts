// SWR 2 has no core outside of its hook, so the hook runs: in components that render null, with a renderer that draws nothing. A
// watcher is such a component; a read is one that comes and goes. Those of one task are mounted together, at its end.

import { createElement, Fragment, type ReactNode } from 'react';
import useSWR, { type ScopedMutator, SWRConfig, unstable_serialize as serialize, useSWRConfig } from 'swr';
import type { Item, Page, Params } from '../backend.ts';
import { createBlankRoot } from '../blankRenderer.ts';
import type { CreateSubject } from '../subject.ts';

type Key = string | readonly [string, Params];

interface WatcherProps {
  readonly at: Key;
  readonly fetcher: () => Promise<unknown>;
  /** A render is how the hook tells. */
  readonly told: (shown: unknown) => void;
}

/** Some of those that began together. One that has not changed is not rendered again. */
interface Group {
  readonly key: number;
  readonly members: Set<ReactNode>;
  element: ReactNode;
}

/** React walks over the siblings of what renders: no page has ten thousand of them. */
const groupSize = 100;

const doNothing = (): void => undefined;

function Watcher({ at, fetcher, told }: WatcherProps): null {
  told(useSWR(at, fetcher).data); // What is read is what is watched.
  return null;
}

/** What is mounted in one root. */
function createScreen(cache: Map<string, object>): {
  mutate: ScopedMutator;
  /** Until the returned function is called; nobody is told of a read. */
  watch: (at: Key, fetcher: () => Promise<unknown>, told: (shown: unknown) => void) => () => void;
  read: (at: Key, fetcher: () => Promise<unknown>) => void;
  dispose: () => void;
} {
  // Nothing is ever too old here, as with the other libraries.
  const config = { provider: () => cache as never, revalidateIfStale: false, revalidateOnFocus: false };
  const render = createBlankRoot();
  const groups = new Set<Group>();
  let keys = 0;
  let mutate: ScopedMutator | null = null;

  function Screen({ children }: { children?: ReactNode }): ReactNode {
    ({ mutate } = useSWRConfig());
    return children;
  }

  /** What is mounted at the end of the task. */
  let coming: Group[] = [];
  /** And goes at once. */
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
    show(); // Twice: React keeps the tree before the current one, and the components that left would count as memory of SWR.
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
  if (mutate === null) throw new Error('nothing was rendered');
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
    item: (id) => dataOf(itemKey(id)) as Item | undefined, // The fetcher's answer.
    watch: (id, told) => watch(itemKey(id), fetchItem(id), told),
    // Resolves with the request that the hook starts.
    load: (id) =>
      new Promise((resolve) => {
        read(itemKey(id), () => {
          const response = backend.item(id);
          resolve(response);
          return response;
        });
      }),
    // By key: a filter would look at every key of the cache.
    invalidation: (ids) => () => {
      for (const id of ids) void mutate(itemKey(id));
    },
    readList: (params) => read(listKey(params), fetchList(params)),
    list: (params) => dataOf(listKey(params)) as Page | undefined, // The fetcher's answer.
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
