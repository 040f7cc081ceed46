// The last changes that arrived in this browser, for server components. The data of server components is not in
// the cache of the data layer.

import type { DataLayer, Id } from '@edict/core';
import { internalsOf, seqOf } from '@edict/core/internal';
import type { Cursor } from '@edict/core/hydration';

/** A named record, all items of a type (no id), or a list with any params. Null means that anything may have changed. */
export type Change = { readonly name: string; readonly id?: string } | null;

interface Recorded {
  readonly change: Change;
  readonly audience: string | null;
  readonly seq: number | null;
}

interface Changes {
  readonly recorded: Recorded[];
  readonly listeners: Set<(change: Change) => void>;
}

const kept = 1000;
const all = new WeakMap<DataLayer, Changes>();

/** The records that directives name, including nested directives. A directive in an unknown form names nothing. */
function* namesIn(directives: readonly unknown[]): Generator<Exclude<Change, null>> {
  for (const directive of directives) {
    if (typeof directive !== 'object' || directive === null) continue;
    const { name, id, targets } = directive as { name?: unknown; id?: unknown; targets?: unknown };
    if (Array.isArray(targets)) yield* namesIn(targets);
    else if (typeof name === 'string')
      yield id === undefined || id === null ? { name } : { name, id: String(id as Id) };
  }
}

/** Begins to record. A second call does nothing. */
export function recordChanges(dl: DataLayer): void {
  if (all.has(dl)) return;
  const changes: Changes = { recorded: [], listeners: new Set() };
  all.set(dl, changes);
  const record = (one: Recorded): void => {
    changes.recorded.push(one);
    if (changes.recorded.length > kept) changes.recorded.shift();
    for (const listener of changes.listeners) listener(one.change);
  };
  dl.onLifecycle('directive:received', ({ detail }) => {
    for (const change of namesIn(detail.directives))
      record({ change, audience: detail.audience, seq: seqOf(detail) });
  });
  dl.onLifecycle('sse:resync-dispatch', ({ detail: { context } }) =>
    record({ change: null, audience: context.audience, seq: context.incomingSeq }),
  );
  internalsOf(dl)?.onReset(() => record({ change: null, audience: null, seq: null }));
}

/** Calls the listener with each change from now on. Returns the function that ends it. */
export function onChange(dl: DataLayer, listener: (change: Change) => void): () => void {
  const listeners = all.get(dl)?.listeners;
  listeners?.add(listener);
  return () => void listeners?.delete(listener);
}

/**
 * The recorded changes that a page with these cursors may not show. Changes without a number may be newer than any
 * page.
 */
export function changesSince(dl: DataLayer, cursors: readonly Cursor[]): readonly Change[] {
  const recorded = all.get(dl)?.recorded ?? [];
  const known = new Map(cursors.map(({ audience, seq }) => [audience, seq]));
  const isNewer = ({ audience, seq }: Recorded): boolean =>
    seq === null || audience === null || seq > (known.get(audience) ?? -1);
  const changes = recorded.filter(isNewer).map(({ change }) => change);
  // Older changes were dropped, and one of them may be newer than the page.
  return recorded.length === kept && recorded.every(isNewer) ? [null, ...changes] : changes;
}
