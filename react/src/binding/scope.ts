// What the hooks below a provider share.

import type { DataLayer } from '@edict/core';
import * as React from 'react';
import type { EntryVersion } from './entryView.ts';
import type { Key, UntypedLayer } from './untyped.ts';
import { untypedOf } from './untyped.ts';
import type { Source } from './source.ts';
import type { Thrown } from './errorReset.ts';

/** An entry as a server saw it. */
export interface ServerEntry {
  readonly version: EntryVersion;
  /** `data` of its reference. */
  readonly raw: unknown;
}

/**
 * The states of the hydration boundaries above a hook (serverEntries.ts). Only the boundary makes it, so that whoever has none does not bundle
 * what reads them.
 */
export interface States {
  /** The level as one of the states has it, or null. */
  readonly find: (key: Key) => ServerEntry | null;
  /** The entry as the server saw it; null: as the live reference has it. */
  readonly serverEntryOf: (source: Source) => ServerEntry | null;
  /** Whether one of the states has the level, and is not taken over as a whole. */
  readonly owes: (key: Key) => boolean;
  /** Takes over what waits for the effect of the boundaries. */
  readonly takeRest: () => void;
}

export interface Scope {
  readonly dl: DataLayer;
  readonly layer: UntypedLayer;
  readonly states: States | null;
  /** What has failed for error boundaries to show. */
  readonly thrown: Thrown;
}

export const createScope = (dl: DataLayer): Scope => ({
  dl,
  layer: untypedOf(dl),
  states: null,
  thrown: new Map(),
});

// Under the `react-server` condition React has no contexts; importing this must not fail there.
export const ScopeContext: React.Context<Scope | null> | undefined = React.createContext?.<Scope | null>(
  null,
);
