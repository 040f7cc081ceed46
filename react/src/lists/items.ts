// Many items as one store. Each row is a separate source. All rows are read in one task, which results in one bulk
// request.

import type { Id } from '@edict/core';
import type { InstanceState } from '../binding/instanceState.ts';
import type { Scope } from '../binding/scope.ts';
import { Source } from '../binding/source.ts';
import { itemKey, refOf } from '../binding/untyped.ts';
import { createSourceGroup, type SourceGroup } from './sourceGroup.ts';

interface ListArguments {
  readonly scope: Scope;
  readonly name: string;
  readonly ids: readonly (Id | null | undefined)[];
  readonly level: string;
  readonly isEnabled: boolean;
  readonly isSilent: boolean;
}

/** The sources by id. Null: all rows without an id. */
type Rows = Map<string | null, Source>;

export interface List extends ListArguments {
  readonly group: SourceGroup;
  readonly sources: Readonly<Rows>;
}

function isSame(list: List, { scope, ids, ...wanted }: ListArguments): boolean {
  return (
    list.scope.dl === scope.dl &&
    list.name === wanted.name &&
    list.level === wanted.level &&
    list.isEnabled === wanted.isEnabled &&
    list.isSilent === wanted.isSilent &&
    ![...list.sources.values()].some((source) => source.isReplaced()) &&
    list.ids.length === ids.length &&
    ids.every((id, at) => list.ids[at] === id)
  );
}

/** The list of this hook instance. It is the same for the same arguments. */
export function listOf(instance: InstanceState<List>, wanted: ListArguments): List {
  const { committed } = instance;
  return committed !== null && isSame(committed, wanted) ? committed : createList(instance, wanted);
}

/** If only the ids changed, the rows that stay keep their sources, and so their snapshots. */
function createList(instance: InstanceState<List>, wanted: ListArguments): List {
  const { scope, name, level, isEnabled, isSilent } = wanted;
  const ids = [...wanted.ids];
  const before = instance.committed;
  const kept = before !== null && isSame(before, { ...wanted, ids: before.ids }) ? before.sources : null;
  const sources: Rows = new Map();

  function sourceOf(id: Id | null | undefined): Source {
    const isRead = isEnabled && id !== null && id !== undefined;
    const at = isRead ? String(id) : null; // `42` and `"42"` are the same item.
    const key = itemKey(name, isRead ? id : '', level);
    const source =
      sources.get(at) ??
      kept?.get(at) ??
      new Source({ scope, key, isSilent }, isRead ? refOf(scope.dl, key) : null, null);
    sources.set(at, source);
    return source;
  }

  const group = createSourceGroup(ids.map(sourceOf), () => {
    instance.committed = list;
  });
  const list: List = { ...wanted, ids, sources, group };
  return list;
}
