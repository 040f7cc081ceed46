// The source of a hook instance. It is the same for the same arguments in every render.

import * as React from 'react';
import { useScope } from './scope.ts';
import { emptyCollection } from '@edict/core/internal';
import { type InstanceState, newInstanceState } from './instanceState.ts';
import type { SelectOptions } from '../types.ts';
import { type Reading, Source } from './source.ts';
import { isPrevious, type Select, type Shown } from './snapshot.ts';
import { type Key, refOf } from './untyped.ts';
import { useStore } from './useStore.ts';

interface EntryOptions extends SelectOptions<never, unknown> {
  readonly enabled?: boolean | undefined;
  readonly silent?: boolean | undefined;
  readonly keepPrevious?: boolean | undefined;
}

/** The current snapshot of a hook, and its source. */
export interface UsedEntry {
  readonly source: Source;
  readonly shown: Shown;
}

interface Wanted extends Reading {
  readonly isEnabled: boolean;
  readonly keepPrevious: boolean;
}

/** Whether a source of the wanted entry has the wanted options. Without `keepPrevious`, earlier data is not shown until the end of the load. */
const isWanted = (source: Source, { key, isSilent, keepPrevious }: Wanted): boolean =>
  source.key.level === key.level &&
  source.isSilent === isSilent &&
  (keepPrevious || source.previous === null || source.data() !== source.previous);

/** Data from another definition has another type, and data from before a reset belongs to another user. */
function previousOf({ committed }: InstanceState<Source>, { key, scope }: Wanted): unknown {
  if (committed?.scope.dl !== scope.dl || committed.key.name !== key.name || committed.isReplaced())
    return null;
  const data = committed.data();
  return data === emptyCollection ? null : data;
}

/** Called like a hook, so that a compiler does not keep its result: the references of the data layer and the instance change on their own. */
function useCurrentSource(instance: InstanceState<Source>, wanted: Wanted): Source {
  const ref = wanted.isEnabled ? refOf(wanted.scope.dl, wanted.key) : null;
  const { committed } = instance;
  if (committed?.ref === ref && isWanted(committed, wanted)) return committed;
  const previous = wanted.keepPrevious ? previousOf(instance, wanted) : null;
  // Values that equal those on the screen keep their identity.
  const known = previous === null ? undefined : { ...committed?.known(), [isPrevious]: true };
  return new Source(wanted, ref, previous, known);
}

/** Reads one entry: the part that `useItem`, `useCollection`, and the Suspense hooks share. */
export function useEntry(
  key: Key,
  isEnabled: boolean,
  options: EntryOptions | null | undefined,
  isServed?: Reading['isServed'],
): UsedEntry {
  const scope = useScope();
  // A memo costs each row half as much as a state. If React drops the memo, the hook subscribes again.
  const instance = React.useMemo(() => newInstanceState<Source>(), []);
  const source = useCurrentSource(instance, {
    scope,
    key,
    isEnabled: isEnabled && options?.enabled !== false,
    isSilent: options?.silent === true,
    keepPrevious: options?.keepPrevious === true,
    isServed,
    instance,
  });
  // A source passes its `select` what the types of the hook promise, and its `isEqual` what `select` returned.
  const shown = useStore(source.store(options as Select | undefined));
  return { source, shown };
}
