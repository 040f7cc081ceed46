// Provides the data layer that the hooks use.

import { DL } from '@edict/core';
import type { DataLayer } from '@edict/core';
import * as React from 'react';
import { shown } from './binding/checkOptions.ts';
import { createScope, provide, useScope } from './binding/scope.ts';

/** Props of `DLProvider`. */
export interface DLProviderProps {
  /** Default: `DL`, the instance of `@edict/core`. On a server, each request needs its own. */
  readonly dl?: DataLayer | undefined;
  /** The components that use the data layer. */
  readonly children?: React.ReactNode;
}

/** In another property, the data layer would be ignored, and the hooks would use `DL`. Tools add properties with a hyphen. */
function check(props: DLProviderProps): void {
  const other = Object.keys(props).find(
    (name) => name !== 'dl' && name !== 'children' && !name.includes('-'),
  );
  if (other !== undefined)
    throw new TypeError(`[edict] <DLProvider>: there is no property "${other}". Pass the data layer as dl.`);
  const { dl = DL } = props;
  if (typeof dl?.getItemRef !== 'function')
    throw new TypeError(
      `[edict] <DLProvider>: dl must be a data layer, but is ${shown(dl)}. Omit it for DL.`,
    );
}

/** Provides the data layer for the hooks below. In development, throws a `TypeError` if `dl` is no data layer. */
export function DLProvider(props: DLProviderProps): React.ReactElement {
  if (process.env.NODE_ENV !== 'production') check(props);
  const { dl = DL, children } = props;
  return provide(
    React.useMemo(() => createScope(dl), [dl]),
    children,
  );
}

/** The data layer of the nearest provider, or `DL` without a provider. */
export function useDL(): DataLayer {
  return useScope().dl;
}
