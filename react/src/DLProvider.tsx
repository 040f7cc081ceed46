// Which data layer the hooks use (D-REACT-1).

import { DL } from '@edict/core';
import type { DataLayer } from '@edict/core';
import * as React from 'react';
import type { Scope } from './binding/scope.ts';
import { createScope, ScopeContext } from './binding/scope.ts';

declare const process: { env: { NODE_ENV?: string } } | undefined;

let outside: Scope | null = null;

/** Hooks without a provider share the default instance; on a server that is one cache for all requests. */
function scopeOutside(): Scope {
  if (outside === null) {
    outside = createScope(DL);
    const isProduction = typeof process !== 'undefined' && process.env.NODE_ENV === 'production';
    if (typeof window === 'undefined' && !isProduction) {
      console.warn(
        '[edict] Hooks outside <DLProvider> share one data layer: on a server, across users. Give each request its own: <DLProvider dl={…}>.',
      );
    }
  }
  return outside;
}

/** What the hooks below the nearest provider share. */
export function useScope(): Scope {
  if (ScopeContext === undefined) {
    throw new Error(
      "[edict] Hooks run in client components: put 'use client' on top of the file that calls one.",
    );
  }
  return React.useContext(ScopeContext) ?? scopeOutside();
}

/** Props of `DLProvider`. */
export interface DLProviderProps {
  /** Default: `DL`, the instance of `@edict/core`. On a server: one for each request. */
  readonly dl?: DataLayer;
  /** What uses the data layer. */
  readonly children?: React.ReactNode;
}

/** Gives the hooks below it their data layer (D-REACT-1). */
export function DLProvider({ dl = DL, children }: DLProviderProps): React.ReactElement {
  // The hooks would only find that they cannot read a member of it.
  if (typeof dl !== 'object' || dl === null || typeof dl.getItemRef !== 'function')
    throw new TypeError('<DLProvider>: dl must be a data layer; leave it out for DL');
  const scope = React.useMemo(() => createScope(dl), [dl]);
  if (ScopeContext === undefined) throw new Error('[edict] <DLProvider> is a client component.');
  return React.createElement(ScopeContext.Provider, { value: scope }, children);
}

/** The data layer of the nearest provider, else `DL` (D-REACT-1). */
export function useDL(): DataLayer {
  return useScope().dl;
}
