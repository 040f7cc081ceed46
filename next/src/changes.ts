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
  /** How many changes were recorded before. */
  readonly order: number;
}

type Position = Pick<Recorded, 'audience' | 'seq'>;

interface Changes {
  readonly recorded: Recorded[];
  readonly listeners: Set<(change: Change) => void>;
  count: number;
}

const kept = 1000;
const all = new WeakMap<DataLayer, Changes>();

/**
 * The records that directives name, including nested directives, with their positions. A directive in an unknown form names nothing. One without
 * a position inherits that of its wrapper or its envelope.
 */
function* namesIn(directives: readonly unknown[], above: Position): Generator<Omit<Recorded, 'order'>> {
  for (const directive of directives) {
    if (typeof directive !== 'object' || directive === null) continue;
    const { name, id, targets, audience, seq } = directive as Record<string, unknown>;
    const position = {
      audience: typeof audience === 'string' ? audience : above.audience,
      seq: typeof seq === 'number' ? seq : above.seq,
    };
    if (Array.isArray(targets)) yield* namesIn(targets, position);
    else if (typeof name === 'string')
      yield {
        change: id === undefined || id === null ? { name } : { name, id: String(id as Id) },
        ...position,
      };
  }
}

/** Begins to record. A second call does nothing. */
export function recordChanges(dl: DataLayer): void {
  if (all.has(dl)) return;
  const changes: Changes = { recorded: [], listeners: new Set(), count: 0 };
  all.set(dl, changes);
  const record = (one: Omit<Recorded, 'order'>): void => {
    changes.recorded.push({ ...one, order: changes.count++ });
    if (changes.recorded.length > kept) changes.recorded.shift();
    for (const listener of changes.listeners) listener(one.change);
  };
  dl.onLifecycle('directive:received', ({ detail }) => {
    const above = { audience: detail.audience, seq: seqOf(detail) };
    for (const one of namesIn(detail.directives, above)) record(one);
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

/** How many changes were recorded. */
export const changeCount = (dl: DataLayer): number => all.get(dl)?.count ?? 0;

/**
 * The recorded changes that a page with these cursors may not show. A change that the cursors cannot be compared with may be newer than any page.
 * It counts only if it is not among the first `seen` ones. Otherwise each refresh of the page would cause the next one.
 */
export function changesSince(dl: DataLayer, cursors: readonly Cursor[], seen: number): readonly Change[] {
  const recorded = all.get(dl)?.recorded ?? [];
  const known = new Map(cursors.map(({ audience, seq }) => [audience, seq]));
  const isNewer = ({ audience, seq, order }: Recorded): boolean => {
    const shown = audience === null ? undefined : known.get(audience);
    return seq === null || shown === undefined ? order >= seen : seq > shown;
  };
  const changes = recorded.filter(isNewer).map(({ change }) => change);
  // Older changes were dropped, and one of them may be newer than the page.
  return recorded.length === kept && recorded.every(isNewer) ? [null, ...changes] : changes;
}
