// What the hooks below a provider share.

import type { DataLayer, Reference } from '@edict/core';
import * as React from 'react';
import type { Key, Layer } from './layer.ts';
import { layerOf } from './layer.ts';
import type { Thrown } from './thrown.ts';
import { createThrown } from './thrown.ts';

/** The states of the hydration boundaries above a hook, innermost first. */
export interface States {
  /**
   * The entry as the state has it, or null. A function, so that whoever has no boundary does not bundle the reading of states.
   */
  readonly read: (key: Key) => Reference | null;
  readonly outer: States | null;
}

export interface Scope {
  readonly dl: DataLayer;
  readonly layer: Layer;
  readonly states: States | null;
  /** The failed entries that went to an error boundary. */
  readonly thrown: Thrown;
}

export const createScope = (dl: DataLayer): Scope => ({
  dl,
  layer: layerOf(dl),
  states: null,
  thrown: createThrown(),
});

// Under the `react-server` condition React has no contexts; importing this must not fail there.
export const ScopeContext: React.Context<Scope | null> | undefined = React.createContext?.<Scope | null>(
  null,
);
