// The source of a hook instance: the same for the same arguments, whichever render asks.

import { deepEqual } from '@edict/core/internal';
import type { DataLayer, Id } from '@edict/core';
import * as React from 'react';
import { collectionKey, itemKey } from './untyped.ts';
import type { ReadMode, MaybeId } from './readMode.ts';
import type { InstanceState } from './instanceState.ts';
import { find, newInstanceState } from './instanceState.ts';
import type { Scope } from './scope.ts';
import { Source } from './source.ts';

/**
 * The memory of one hook instance. A memo costs a row half of what a state does; where React forgets it, the hook makes its
 * source again and subscribes anew.
 */
export const useSourceState = (): InstanceState<Source> =>
  React.useMemo(() => newInstanceState<Source>(), []);

const isAlike = (source: Source, { dl }: Scope, mode: ReadMode): boolean =>
  source.mode === mode && source.scope.dl === dl;

/** Another name's data has another type, and a hook that reads nothing shows nothing (D-REACT-2). */
const previousOf = (
  { committed }: InstanceState<Source>,
  name: string,
  dl: DataLayer,
  isKept: boolean,
): unknown =>
  isKept && committed?.name === name && committed.scope.dl === dl ? committed.shown() : undefined;

/** `42` and `"42"` are one item (D-REG-5). */
const isSameId = (a: Id, b: Id): boolean => a === b || String(a) === String(b);

const isItem = (source: Source, name: string, id: Id, level: string): boolean =>
  isSameId(source.id, id) && source.name === name && source.level === level;

/**
 * The source of an item for this hook instance: the same for the same arguments. No hook, but called like one: a compiler must not keep
 * its answer, since the memory moves on under it.
 */
export function useItemSource(
  memory: InstanceState<Source>,
  scope: Scope,
  name: string,
  id: MaybeId,
  level: string | null | undefined,
  mode: ReadMode,
  keepPrevious: boolean,
): Source {
  const wanted = level ?? 'default'; // D-REG-6
  const known = id ?? '';
  const { committed, draft } = memory;
  // Before anything else, and without a closure: this is what a render of a row without a change comes to.
  if (committed !== null && isItem(committed, name, known, wanted) && isAlike(committed, scope, mode))
    return committed;
  const previous = previousOf(memory, name, scope.dl, keepPrevious && mode.isEnabled);
  if (
    draft !== null &&
    draft.previous === previous && // What the screen shows may have moved on since the draft was made.
    isItem(draft, name, known, wanted) &&
    isAlike(draft, scope, mode)
  )
    return draft;
  return (memory.draft = new Source(scope, itemKey(name, known, wanted), mode, previous, memory));
}

/** As `useItemSource`, of a collection; params are the same when their canonical key is (D-PARAM-1). */
export function useCollectionSource(
  memory: InstanceState<Source>,
  scope: Scope,
  name: string,
  params: object | null | undefined,
  mode: ReadMode,
  keepPrevious: boolean,
): Source {
  const previous = previousOf(memory, name, scope.dl, keepPrevious && mode.isEnabled);
  const isNear = (source: Source): boolean =>
    (source === memory.committed || source.previous === previous) &&
    source.name === name &&
    isAlike(source, scope, mode);
  // A shortcut around the canonical key: what is equal as it stands has the same.
  const known = find(memory, (source) => isNear(source) && deepEqual(source.params, params));
  if (known !== null) return known;
  if (!mode.isEnabled) return find(memory, isNear) ?? make(undefined);
  const { paramsKey, paramsSnapshot } = scope.layer.getCollectionRef(name, { params }).meta;
  return (
    find(memory, (source) => {
      const { meta } = source.version();
      return isNear(source) && 'paramsKey' in meta && meta.paramsKey === paramsKey;
    }) ??
    // The frozen copy: an object that the application goes on changing would look the same for ever.
    make(paramsSnapshot as object | undefined) // It is a copy of params.
  );

  function make(copy: object | undefined): Source {
    return (memory.draft = new Source(scope, collectionKey(name, copy), mode, previous, memory));
  }
}
