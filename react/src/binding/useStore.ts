import { useSyncExternalStore } from 'use-sync-external-store/shim';

/** What React subscribes to. */
export interface Store<S> {
  readonly subscribe: (callback: () => void) => () => void;
  readonly getSnapshot: () => S;
  readonly getServerSnapshot: () => S;
}

/** Returns what the store shows. The component renders again when that is another object. Every hook reads through this one. */
export const useStore = <S>(store: Store<S>): S =>
  useSyncExternalStore(store.subscribe, store.getSnapshot, store.getServerSnapshot);
