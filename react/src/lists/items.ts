// SourceGroup items as one store: each row is a source of its own. All rows are read in one task, which makes one bulk request (D-DIR-7).

import type { Id } from '@edict/core';
import { itemKey } from '../binding/untyped.ts';
import type { SourceGroup } from './sourceGroup.ts';
import { createSourceGroup } from './sourceGroup.ts';
import type { ReadMode, MaybeId } from '../binding/readMode.ts';
import { readModeOf } from '../binding/readMode.ts';
import type { InstanceState } from '../binding/instanceState.ts';
import { commit, find } from '../binding/instanceState.ts';
import type { Scope } from '../binding/scope.ts';
import { Source } from '../binding/source.ts';

interface ListArguments {
  readonly scope: Scope;
  readonly name: string;
  readonly ids: readonly MaybeId[];
  readonly level: string;
  readonly mode: ReadMode;
}

/** By id; null: all those without one. */
type Rows = Map<string | null, Source>;

export interface List extends ListArguments {
  readonly rows: SourceGroup;
  readonly sources: Readonly<Rows>;
}

function isSame(list: List, { scope, name, ids, level, mode }: ListArguments): boolean {
  return (
    list.scope.dl === scope.dl &&
    list.name === name &&
    list.level === level &&
    list.mode === mode &&
    (list.ids === ids || (list.ids.length === ids.length && ids.every((id, at) => list.ids[at] === id)))
  );
}

/** The list for this hook instance: the same for the same arguments. */
export const listOf = (memory: InstanceState<List>, wanted: ListArguments): List =>
  find(memory, (list) => isSame(list, wanted)) ?? (memory.draft = createList(memory, wanted));

/** Where only the ids changed, rows that stay are taken over: their snapshots are what the rows on screen were made from. */
function createList(memory: InstanceState<List>, wanted: ListArguments): List {
  const { scope, name, level, mode } = wanted;
  const ids = [...wanted.ids];
  const before = memory.committed;
  const taken = before !== null && isSame(before, { ...wanted, ids: before.ids }) ? before.sources : null;
  const sources: Rows = new Map();

  const makeSource = (id: Id, how: ReadMode): Source =>
    new Source(scope, itemKey(name, id, level), how, undefined, null);

  function sourceOf(id: MaybeId): Source {
    const isEmpty = id === null || id === undefined || !mode.isEnabled;
    const key = isEmpty ? null : String(id); // D-REG-5
    const source =
      sources.get(key) ??
      taken?.get(key) ??
      (isEmpty ? makeSource('', readModeOf(false, mode.isSilent, 'row')) : makeSource(id, mode));
    sources.set(key, source);
    return source;
  }

  const rows = createSourceGroup(scope, ids.map(sourceOf), () => commit(memory, list));
  const list: List = { ...wanted, ids, sources, rows };
  return list;
}
