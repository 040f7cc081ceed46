// The data layer and the state that the hooks below a provider share.

import { DL, type DataLayer } from '@edict/core';
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
  /** Whether entries wait for the effects of the boundaries. */
  readonly hasRest: () => boolean;
  /** Hydrates these entries immediately. */
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
const ScopeContext: React.Context<Scope | null> | undefined = React.createContext?.<Scope | null>(null);

/** With the `react-server` condition, React has no contexts. */
type Context = NonNullable<typeof ScopeContext>;

let outside: Scope | null = null;

/**
 * Hooks without a provider share the default data layer. On a server, this means one cache for the requests of all
 * users.
 */
function scopeOutside(): Scope {
  if (process.env.NODE_ENV !== 'production' && outside === null && typeof window === 'undefined')
    console.warn(
      '[edict] Hooks outside <DLProvider> share one data layer, on a server across users. Pass each request its own: <DLProvider dl={…}>.',
    );
  return (outside ??= createScope(DL));
}

function checkClient(): void {
  if (process.env.NODE_ENV !== 'production' && ScopeContext === undefined)
    throw new Error(
      "[edict] Hooks run in client components. Put 'use client' at the top of the file that calls one.",
    );
}

/** The state that the hooks below the nearest provider share. */
export function useScope(): Scope {
  checkClient();
  return React.useContext(ScopeContext as Context) ?? scopeOutside();
}

/** Passes a scope to the hooks below. */
export function provide(value: Scope, children: React.ReactNode): React.ReactElement {
  checkClient();
  return React.createElement((ScopeContext as Context).Provider, { value }, children);
}
