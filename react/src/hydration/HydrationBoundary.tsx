// Hydrates the cache with the data that a server has fetched. While React hydrates the page, the hooks below read the state itself, so that their
// first render equals that of the server, even if newer data has arrived. Then they read the live entries.

import type { DehydratedState } from '@edict/core/hydration';
import { deepEqual } from '@edict/core/internal';
import * as React from 'react';
import { provide, useScope } from '../binding/scope.ts';
import { withState } from './serverEntries.ts';
import { createHydrationProbe } from './hydrationProbe.ts';
import { takeOver, takeOverRest } from './takeOver.ts';
import { useEffectBeforeReads } from '../binding/useLatest.ts';
import { useStore } from '../binding/useStore.ts';

/** Props of `HydrationBoundary`. */
export interface HydrationBoundaryProps {
  /** The result of `dehydrate` on the server. It must be the same on both sides. */
  readonly state: DehydratedState | null | undefined;
  /** The components that read the state. */
  readonly children?: React.ReactNode;
}

type State = HydrationBoundaryProps['state'];

/** A state that is parsed from JSON in every render counts as the same state, so its ages do not restart. */
function useSameState(given: State): State {
  const [state, setState] = React.useState(given);
  if (state === given || deepEqual(state, given)) return state;
  setState(given);
  return given;
}

/**
 * Hydrates the cache for the hooks below with the data that the server has fetched. The data is not fetched again
 * while it is fresh.
 */
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
    if (state !== null && state !== undefined) takeOverRest(scope.dl, state);
  }, [scope, state]);
  return provide(inner, children);
}
