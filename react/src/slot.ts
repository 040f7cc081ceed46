// What one hook instance remembers between renders: the source it is subscribed to, and those of renders that React has not
// committed. Several can be alive at once: a transition renders other arguments than the screen shows.

import type { DataLayer } from '@edict/core';
import type { Scope } from './scope.ts';
import type { Manner, MaybeId, Slot } from './source.ts';
import { Source } from './source.ts';

/** Renders of other arguments that may still be committed; an older one is simply made again. */
const mostDrafts = 3;

export const createSlot = (): Slot => ({ committed: null, drafts: null });

function find(slot: Slot, isIt: (source: Source) => boolean): Source | null {
  if (slot.committed !== null && isIt(slot.committed)) return slot.committed;
  return slot.drafts?.find(isIt) ?? null;
}

function draft(slot: Slot, source: Source): Source {
  const drafts = (slot.drafts ??= []);
  if (drafts.length >= mostDrafts) drafts.shift();
  drafts.push(source);
  return source;
}

const isAlike = (source: Source, { dl }: Scope, manner: Manner): boolean =>
  source.manner === manner && source.scope.dl === dl;

const previousOf = (slot: Slot, keepPrevious: boolean, name: string, dl: DataLayer): unknown =>
  // Another name's data has another type.
  keepPrevious && slot.committed?.key.name === name && slot.committed.scope.dl === dl
    ? slot.committed.shown()
    : undefined;

const isItem = ({ key }: Source, name: string, id: MaybeId, level: string): boolean =>
  key.kind === 'item' && key.id === (id ?? '') && key.name === name && key.level === level;

/** The source of an item for this hook instance: the same for the same arguments. */
export function itemSource(
  slot: Slot,
  scope: Scope,
  name: string,
  id: MaybeId,
  level: string | null | undefined,
  manner: Manner,
  keepPrevious: boolean,
): Source {
  const wanted = level ?? 'default'; // D-REG-6
  const { committed } = slot;
  // Before anything else, and without a closure: this is what a render of a row without a change comes to.
  if (committed !== null && isItem(committed, name, id, wanted) && isAlike(committed, scope, manner))
    return committed;
  const known = slot.drafts?.find(
    (source) => isItem(source, name, id, wanted) && isAlike(source, scope, manner),
  );
  if (known !== undefined) return known;
  const key = { kind: 'item', name, id: id ?? '', level: wanted } as const;
  return draft(slot, new Source(scope, key, manner, previousOf(slot, keepPrevious, name, scope.dl), slot));
}

/** Whether params are plainly the same: a shortcut around the canonical key. */
function isSameParams(a: object | null | undefined, b: object | null | undefined): boolean {
  if (a === b) return true;
  if (a === null || a === undefined || b === null || b === undefined) return false;
  const [left, right] = [Object.entries(a), b as Record<string, unknown>]; // Any object can be asked for a key.
  return (
    left.length === Object.keys(right).length &&
    left.every(([name, value]) => Object.hasOwn(right, name) && isPlainlySame(right[name], value as unknown))
  );
}

const isPlainlySame = (a: unknown, b: unknown): boolean =>
  Object.is(a, b) && (typeof a !== 'object' || a === null);

/** As `itemSource`, of a collection; params are the same when their canonical key is (D-PARAM-1). */
export function collectionSource(
  slot: Slot,
  scope: Scope,
  name: string,
  params: object | null | undefined,
  manner: Manner,
  keepPrevious: boolean,
): Source {
  const isNear = (source: Source): boolean =>
    source.key.kind === 'collection' && source.key.name === name && isAlike(source, scope, manner);
  const known = find(
    slot,
    (source) => isNear(source) && source.key.kind === 'collection' && isSameParams(source.key.params, params),
  );
  if (known !== null) return known;
  if (!manner.isEnabled) return find(slot, isNear) ?? draft(slot, make(undefined));
  const { paramsKey, paramsSnapshot } = scope.layer.getCollectionRef(name, { params }).meta;
  return (
    find(slot, (source) => {
      const { meta } = source.look();
      return isNear(source) && 'paramsKey' in meta && meta.paramsKey === paramsKey;
    }) ??
    // The frozen copy: an object that the application goes on changing would look the same for ever.
    draft(slot, make(paramsSnapshot as object | undefined)) // It is a copy of params.
  );

  function make(copy: object | undefined): Source {
    const key = { kind: 'collection', name, params: copy } as const;
    return new Source(scope, key, manner, previousOf(slot, keepPrevious, name, scope.dl), slot);
  }
}
