// The data layer and the state that the hooks below a provider share.

import type { DataLayer } from '@edict/core';
import type { EntryView } from '@edict/core/internal';
import * as React from 'react';
import type { Key, UntypedLayer } from './untyped.ts';
import { untypedOf } from './untyped.ts';
import type { Source } from './source.ts';
import type { ThrownEntries } from './errorReset.ts';

/**
 * The states of the hydration boundaries above a hook. Only `HydrationBoundary` creates it, so pages without one do not load the code that
 * reads states.
 */
export interface States {
  /** The level if one of the states contains it, or null. */
  readonly find: (key: Key) => EntryView | null;
  /** The entry as the server rendered it. If null, the live reference is used. */
  readonly serverEntryOf: (source: Source) => EntryView | null;
  /** Whether one of the states contains the level and is not hydrated completely. */
  readonly owes: (key: Key) => boolean;
  /** Hydrates the entries immediately that would otherwise wait for the effects of the boundaries. */
  readonly takeRest: () => void;
}

export interface Scope {
  readonly dl: DataLayer & UntypedLayer;
  readonly states: States | null;
  /** The entries whose errors went to error boundaries. */
  readonly thrown: ThrownEntries;
}

export const createScope = (dl: DataLayer): Scope => ({
  dl: untypedOf(dl),
  states: null,
  thrown: new Map(),
});

// Under the `react-server` condition React has no contexts. The import must not fail there.
export const ScopeContext: React.Context<Scope | null> | undefined = React.createContext?.<Scope | null>(
  null,
);
