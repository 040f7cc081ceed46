// The store behind a hook: the source itself, or the source through a select.

import { deepEqual } from '@edict/core/internal';
import type { InstanceState } from './instanceState.ts';
import type { SelectOptions } from '../types.ts';
import type { Snapshot } from './snapshot.ts';
import type { Source, Store } from './source.ts';

const all = (data: unknown): unknown => data;

/** D and R are the types the hook's caller sees; the source knows its data as unknown. */
export function storeOf<D, R>(
  source: Source,
  { committed }: InstanceState<Source>,
  options: SelectOptions<D, R> | undefined,
): Store<Snapshot> {
  const given = options?.isEqual ?? null;
  const select = options?.select ?? (given === null ? null : all);
  if (select === null) return source;
  const isEqual = given ?? deepEqual;
  if (typeof select !== 'function' || typeof isEqual !== 'function')
    throw new TypeError(`a hook of "${source.name}": select and isEqual must be functions`);
  // A source gives its select what the hook's signature promised, and compares only what that select made.
  return source.through(
    select as (data: unknown) => unknown,
    isEqual as (a: unknown, b: unknown) => boolean,
    committed,
  );
}
