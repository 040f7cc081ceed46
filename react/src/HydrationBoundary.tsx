// Takes over what a server has fetched (D-REACT-10). While React hydrates, the hooks below read the state itself, so that
// their first render is the server's whatever has arrived meanwhile; then they read the live entries.

import type { DataLayer, DehydratedState, Reference } from '@edict/core';
import * as React from 'react';
import { useScope } from './DLProvider.tsx';
import type { Key } from './layer.ts';
import { layerOf, refOf } from './layer.ts';
import { ScopeContext } from './scope.ts';

/** Per data layer, the states that were taken over, with what is still to be done. */
const takenOver = new WeakMap<DataLayer, WeakMap<DehydratedState, { rest: DehydratedState | null }>>();

/** Nobody here has asked for it, so nobody is told of it. */
function isUntouched(dl: DataLayer, key: Key): boolean {
  let ref: Reference;
  try {
    ref = refOf(layerOf(dl), key);
  } catch {
    return true; // Not registered here: `hydrate` passes it over and says so.
  }
  const { meta } = ref;
  return 'levelStamps' in meta
    ? Object.keys(meta.levelStamps).length === 0
    : meta.lastFetched === null && !meta.isLoading;
}

/**
 * Takes over, while rendering, what nobody here has asked for: the renders below find it, and a directive that comes before
 * they are mounted is not lost on it. What is held already may have watchers, which must not be told while React renders.
 */
function takeOver(dl: DataLayer, state: DehydratedState): void {
  const states = takenOver.get(dl) ?? new WeakMap<DehydratedState, { rest: DehydratedState | null }>();
  takenOver.set(dl, states);
  if (states.has(state)) return;
  const untouched = {
    items: state.items.filter(({ type, id }) =>
      isUntouched(dl, { kind: 'item', name: type, id, level: 'default' }),
    ),
    collections: state.collections.filter(({ name, params }) =>
      isUntouched(dl, { kind: 'collection', name, params }),
    ),
  };
  const isAll =
    untouched.items.length === state.items.length &&
    untouched.collections.length === state.collections.length;
  const rest = {
    ...state,
    items: state.items.filter((item) => !untouched.items.includes(item)),
    collections: state.collections.filter((collection) => !untouched.collections.includes(collection)),
  };
  states.set(state, { rest: isAll ? null : rest });
  dl.hydrate(isAll ? state : { ...state, ...untouched });
}

function takeOverRest(dl: DataLayer, state: DehydratedState): void {
  const taken = takenOver.get(dl)?.get(state);
  if (taken === undefined || taken.rest === null) return;
  const { rest } = taken;
  taken.rest = null;
  dl.hydrate(rest);
}

/** React 17 and 18 warn of a layout effect on a server, where neither kind runs. */
const useEffectBeforeReads = typeof document === 'undefined' ? React.useEffect : React.useLayoutEffect;

/** Props of `HydrationBoundary`. */
export interface HydrationBoundaryProps {
  /** What `dehydrate` of the server's data layer gave; the same on both sides. */
  readonly state: DehydratedState | null | undefined;
  readonly children?: React.ReactNode;
}

/** Gives the hooks below it what the server has fetched; nothing of it is fetched again while fresh (D-REACT-10). */
export function HydrationBoundary({ state, children }: HydrationBoundaryProps): React.ReactElement {
  const scope = useScope();
  const inner = React.useMemo(() => {
    if (state === null || state === undefined) return scope;
    takeOver(scope.dl, state);
    return { ...scope, states: { state, outer: scope.states } };
  }, [scope, state]);
  useEffectBeforeReads(() => {
    // Effects run before any hook below subscribes, which is its first read.
    if (state !== null && state !== undefined) takeOverRest(scope.dl, state);
  }, [scope, state]);
  if (ScopeContext === undefined) throw new Error('[edict] <HydrationBoundary> is a client component.');
  return React.createElement(ScopeContext.Provider, { value: inner }, children);
}
