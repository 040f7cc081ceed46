// SWR 2 has no core outside of its hook. A watcher drives its cache, `mutate` and subscriptions without a renderer, and
// `revalidate` does what the hook does between them, step by step; a read is a component that comes and goes. So its numbers are
// a lower bound for it.

import {
  compare,
  createCacheHelper,
  getTimestamp,
  initCache,
  serialize,
  subscribeCallback,
  SWRGlobalState,
} from 'swr/_internal';
import type { Item, Page, Params } from '../backend.ts';
import type { CreateSubject } from '../subject.ts';

interface State {
  data?: unknown;
  error?: unknown;
  isValidating?: boolean;
  isLoading?: boolean;
  _k?: unknown;
}

/** The slots of SWR's state for a cache that are used here. */
type GlobalState = [
  revalidators: Record<string, ((type: number) => unknown)[]>,
  mutations: Record<string, [number, number]>,
  requests: Record<string, [Promise<unknown>, number]>,
];

type Mutate = (key: unknown, ...rest: unknown[]) => Promise<unknown>;

const dedupingInterval = 2000;
const loadingTimeout = 3000;

export const createSwr: CreateSubject = (backend) => {
  const cache = new Map<string, State>();
  // The functions are typed for the hook's own use.
  const [, mutate] = initCache(cache as never) as unknown as [unknown, Mutate];
  const [revalidators, mutations, requests] = SWRGlobalState.get(cache as never) as unknown as GlobalState;

  const helper = (
    key: string,
  ): [
    () => State,
    (info: State) => void,
    (key: string, run: (now: State, before: State) => void) => () => void,
  ] => createCacheHelper(cache as never, key) as never; // The three functions named in the type.

  async function revalidate(key: string, fetcher: () => Promise<unknown>, dedupe: boolean): Promise<boolean> {
    const [get, set] = helper(key);
    const isNew = requests[key] === undefined || !dedupe;
    if (isNew) {
      set(get().data === undefined ? { isValidating: true, isLoading: true } : { isValidating: true });
      if (get().data === undefined) setTimeout(() => undefined, loadingTimeout);
      requests[key] = [fetcher(), getTimestamp()];
    }
    const [request, startAt] = requests[key] as [Promise<unknown>, number]; // Set above, or there before.
    const data = await request;
    if (isNew) {
      setTimeout(() => {
        if (requests[key]?.[1] === startAt) delete requests[key];
      }, dedupingInterval);
    }
    if (requests[key] === undefined || requests[key][1] !== startAt) return false;
    const mutation = mutations[key];
    const last = { isValidating: false, isLoading: false };
    if (mutation !== undefined && (startAt <= mutation[0] || startAt <= mutation[1] || mutation[1] === 0)) {
      set(last);
      return false;
    }
    const { data: before } = get();
    set({ ...last, error: undefined, data: compare(before, data) ? before : data });
    return true;
  }

  /** As a hook that mounts. */
  function mount(keyOf: unknown, fetcher: () => Promise<unknown>): void {
    const [key] = serialize(keyOf as string); // Strings and lists are keys.
    const [get, set] = helper(key);
    set({ _k: keyOf });
    if (get().data === undefined) void revalidate(key, fetcher, true);
  }

  function watch(keyOf: unknown, fetcher: () => Promise<unknown>, told: () => void): () => void {
    const [key] = serialize(keyOf as string);
    const [, , subscribe] = helper(key);
    let snapshot: State = {};
    const stop = subscribe(key, (now, before) => {
      // The fields that the component read: here the data. React then asks for the snapshot.
      if (compare(before.data, now.data)) return;
      const { _k: _, ...next } = now;
      if (compare(snapshot.data, next.data)) return;
      snapshot = next;
      told();
    });
    const end = subscribeCallback(
      key,
      revalidators as never,
      (() => revalidate(key, fetcher, false)) as never,
    );
    mount(keyOf, fetcher);
    return () => {
      stop();
      end();
    };
  }

  const read = (keyOf: unknown, fetcher: () => Promise<unknown>): void =>
    watch(keyOf, fetcher, () => undefined)();

  const itemKey = (id: number): string => `/tickets/${id}`;
  const listKey = (params: Params): [string, Params] => ['/tickets', params];
  const fetchItem = (id: number) => () => backend.item(id);
  const fetchList = (params: Params) => () => backend.list(params);
  const dataOf = (key: unknown): unknown => cache.get(serialize(key as string)[0])?.data;

  return {
    look: (id) => cache.get(itemKey(id))?.data,
    read: (id) => read(itemKey(id), fetchItem(id)),
    item: (id) => dataOf(itemKey(id)) as Item | undefined, // The fetcher's answer.
    watch: (id, told) => watch(itemKey(id), fetchItem(id), told),
    invalidate(ids) {
      // A filter: the message names an item, and the cache may hold it under several addresses.
      const [id] = ids;
      if (ids.length === 1 && id !== undefined) {
        const path = itemKey(id);
        void mutate(
          (key: unknown) => key === path || (typeof key === 'string' && key.startsWith(`${path}?`)),
        );
      } else {
        const paths = new Set<unknown>(ids.map(itemKey));
        void mutate((key: unknown) => paths.has(typeof key === 'string' ? key.split('?', 1)[0] : key));
      }
    },
    readList: (params) => read(listKey(params), fetchList(params)),
    list: (params) => dataOf(listKey(params)) as Page | undefined, // The fetcher's answer.
    watchList: (params, told) => watch(listKey(params), fetchList(params), told),
    invalidateLists(team) {
      void mutate(
        (key: unknown) =>
          Array.isArray(key) &&
          key[0] === '/tickets' &&
          (team === undefined || (key[1] as Params).team === team), // A key of listKey.
      );
    },
    seed(ids) {
      for (const id of ids) mount(itemKey(id), fetchItem(id));
    },
    dispose: () => cache.clear(),
  };
};
