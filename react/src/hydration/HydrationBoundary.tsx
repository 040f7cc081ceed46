// Takes over what a server has fetched (D-REACT-10). While React hydrates, the hooks below read the state itself, so that
// their first render is the server's whatever has arrived meanwhile; then they read the live entries.

import type { DehydratedState } from '@edict/core/hydration';
import { deepEqual } from '@edict/core/internal';
import * as React from 'react';
import { useScope } from '../DLProvider.tsx';
import { ScopeContext } from '../binding/scope.ts';
import { withState } from './serverEntries.ts';
import { createHydrationProbe } from './hydrationProbe.ts';
import { takeOver, takeOverRest } from './takeOver.ts';
import { useEffectBeforeReads } from '../binding/useLatest.ts';
import { useStore } from '../binding/useStore.ts';

/** Props of `HydrationBoundary`. */
export interface HydrationBoundaryProps {
  /** What `dehydrate` of the server's data layer gave; the same on both sides. */
  readonly state: DehydratedState | null | undefined;
  /** What reads the state. */
  readonly children?: React.ReactNode;
}

type State = HydrationBoundaryProps['state'];

/** A state that is read from its text in every render is the same all the same: its ages do not begin anew. */
function useSameState(given: State): State {
  const [state, setState] = React.useState(given);
  if (state === given || deepEqual(state, given)) return state;
  setState(given);
  return given;
}

/** Gives the hooks below it what the server has fetched; nothing of it is fetched again while fresh (D-REACT-10). */
export function HydrationBoundary({ state: given, children }: HydrationBoundaryProps): React.ReactElement {
  const scope = useScope();
  const state = useSameState(given);
  const [probe] = React.useState(createHydrationProbe);
  useStore(probe);
  const inner = React.useMemo(() => {
    if (state === null || state === undefined || !takeOver(scope.dl, state, probe.isHydrating()))
      return scope;
    return { ...scope, states: withState(scope.dl, state, scope.states) };
  }, [scope, state, probe]);
  useEffectBeforeReads(() => {
    probe.committed(); // What comes from now on is the state of another page.
    if (state !== null && state !== undefined) takeOverRest(scope.dl, state);
  }, [scope, state, probe]);
  if (ScopeContext === undefined) throw new Error('[edict] <HydrationBoundary> is a client component.');
  return React.createElement(ScopeContext.Provider, { value: inner }, children);
}
