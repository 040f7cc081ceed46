// Provides the data layer that the hooks use.

import { DL } from '@edict/core';
import type { DataLayer } from '@edict/core';
import * as React from 'react';
import type { Scope } from './binding/scope.ts';
import { createScope, ScopeContext } from './binding/scope.ts';

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

/** Props of `DLProvider`. */
export interface DLProviderProps {
  /** Default: `DL`, the instance of `@edict/core`. On a server, each request needs its own. */
  readonly dl?: DataLayer | undefined;
  /** The components that use the data layer. */
  readonly children?: React.ReactNode;
}

/** Provides the data layer for the hooks below. In development, throws a `TypeError` if `dl` is no data layer. */
export function DLProvider({ dl = DL, children }: DLProviderProps): React.ReactElement {
  if (process.env.NODE_ENV !== 'production' && typeof dl?.getItemRef !== 'function')
    throw new TypeError(
      `[edict] <DLProvider>: dl must be a data layer, but is ${JSON.stringify(dl)}. Omit it for DL.`,
    );
  return provide(
    React.useMemo(() => createScope(dl), [dl]),
    children,
  );
}

/** The data layer of the nearest provider, or `DL` without a provider. */
export function useDL(): DataLayer {
  return useScope().dl;
}
