import * as React from 'react';
import { useLatest } from './useLatest.ts';

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
function useStoreInReact17<S>(subscribe: Store<S>['subscribe'], getSnapshot: () => S): S {
  const value = getSnapshot();
  const isCurrent = useLatest(() => Object.is(value, getSnapshot()));
  const [, render] = React.useState({});
  React.useEffect(() => {
    const renderIfChanged = (): void => {
      if (!isCurrent.current()) render({});
    };
    renderIfChanged(); // While nothing was subscribed.
    return subscribe(renderIfChanged);
  }, [subscribe, isCurrent]);
  return value;
}

/** Accessed by a computed name, because bundlers report an import that the installed React does not have. */
export const memberOfReact = (name: string): unknown => (React as unknown as Record<string, unknown>)[name];

const useSyncExternalStore =
  (memberOfReact('useSyncExternalStore') as UseSyncExternalStore | undefined) ?? useStoreInReact17;

/**
 * Returns the current value of the store. The component renders again when the store returns another object. Every
 * hook reads through this function.
 */
export const useStore = <S>(store: Store<S>): S =>
  useSyncExternalStore(store.subscribe, store.getSnapshot, store.getServerSnapshot);
