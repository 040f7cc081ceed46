// Provides the data layer that the hooks use.

import { DL } from '@edict/core';
import type { DataLayer } from '@edict/core';
import * as React from 'react';
import { createScope, provide, useScope } from './binding/scope.ts';

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
