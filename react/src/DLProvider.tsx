// Provides the data layer that the hooks use.

import { DL } from '@edict/core';
import type { DataLayer } from '@edict/core';
import { describe } from '@edict/core/internal';
import * as React from 'react';
import { createScope, provide, useScope } from './binding/scope.ts';

/** Props of `DLProvider`. */
export interface DLProviderProps {
  /** Default: `DL`, the instance of `@edict/core`. On a server, each request needs its own. */
  readonly dl?: DataLayer | undefined;
  /** The components that use the data layer. */
  readonly children?: React.ReactNode;
}

/** In another property, a data layer would be ignored, and the hooks would use `DL`. */
function check({ dl = DL, ...others }: DLProviderProps): void {
  if (!isDataLayer(dl))
    throw new TypeError(
      `[edict] <DLProvider>: dl must be a data layer, but is ${describe(dl)}. Omit it for DL.`,
    );
  for (const [name, value] of Object.entries(others))
    if (isDataLayer(value))
      throw new TypeError(`[edict] <DLProvider>: there is no property "${name}". Pass the data layer as dl.`);
}

const isDataLayer = (value: unknown): boolean =>
  typeof (value as Partial<DataLayer> | null | undefined)?.getItemRef === 'function';

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
