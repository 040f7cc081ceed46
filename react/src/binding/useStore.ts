// The one binding to React's store hook. React is preparing a native one: this is the place to change.

import { useSyncExternalStore } from 'use-sync-external-store/shim';
import type { Store } from './source.ts';

/** What the store shows now; the component renders again when it shows another object. */
export const useStore = <S>(store: Store<S>): S =>
  useSyncExternalStore(store.subscribe, store.getSnapshot, store.getServerSnapshot);
