import * as React from 'react';
import { useEffectBeforeReads } from './useLatest.ts';

/** What React subscribes to. */
export interface Store<S> {
  readonly subscribe: (callback: () => void) => () => void;
  readonly getSnapshot: () => S;
  readonly getServerSnapshot: () => S;
}

type UseSyncExternalStore = <S>(
  subscribe: Store<S>['subscribe'],
  getSnapshot: () => S,
  getServerSnapshot: () => S,
) => S;

/** React 17 has no `useSyncExternalStore`. It renders synchronously, so it needs neither a server snapshot nor a check for torn renders. */
const useStoreInReact17: UseSyncExternalStore = (subscribe, getSnapshot) => {
  const shown = getSnapshot();
  const latest = React.useRef({ shown, getSnapshot });
  const [, render] = React.useReducer((count: number) => count + 1, 0);
  const renderIfChanged = React.useCallback(() => {
    if (!Object.is(latest.current.shown, latest.current.getSnapshot())) render();
  }, []);
  // It may have changed between the render and the commit, or while nothing was subscribed.
  useEffectBeforeReads(() => {
    latest.current = { shown, getSnapshot };
    renderIfChanged();
  }, [shown, getSnapshot, renderIfChanged]);
  React.useEffect(() => {
    renderIfChanged();
    return subscribe(renderIfChanged);
  }, [subscribe, renderIfChanged]);
  return shown;
};

// By a computed name: bundlers refuse an import that the installed React does not have.
const native = (React as unknown as Record<string, UseSyncExternalStore | undefined>)['useSyncExternalStore'];
const useSyncExternalStore = native ?? useStoreInReact17;

/** Returns what the store shows. The component renders again when that is another object. Every hook reads through this one. */
export const useStore = <S>(store: Store<S>): S =>
  useSyncExternalStore(store.subscribe, store.getSnapshot, store.getServerSnapshot);
