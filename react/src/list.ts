// Many items as one store: each row is a source of its own, so that unchanged rows keep their snapshots, and the list is a
// new array when a row is. All rows are read in one task, which makes one bulk request (D-DIR-7).

import type { Scope } from './scope.ts';
import type { Snapshot } from './snapshot.ts';
import type { Manner, MaybeId } from './manner.ts';
import { mannerOf } from './manner.ts';
import type { Store } from './source.ts';
import { Source } from './source.ts';

/** What React holds: the array is made when it is rendered, so a burst of changes before that makes one. */
export interface Frame {
  rows: readonly Snapshot[] | null;
}

interface ListArguments {
  readonly scope: Scope;
  readonly name: string;
  readonly ids: readonly MaybeId[];
  readonly level: string;
  readonly manner: Manner;
}

export interface List extends Store<Frame>, ListArguments {
  /** The rows of a frame; the same array as often as it is asked for. */
  readonly rowsOf: (frame: Frame) => readonly Snapshot[];
  readonly sources: ReadonlyMap<string, Source>;
}

/** What one hook instance remembers: the list that React has subscribed to, and one that is being rendered. */
export interface ListMemory {
  committed: List | null;
  draft: List | null;
}

export const createListMemory = (): ListMemory => ({ committed: null, draft: null });

function isSame(list: List, { scope, name, ids, level, manner }: ListArguments): boolean {
  return (
    list.scope.dl === scope.dl &&
    list.name === name &&
    list.level === level &&
    list.manner === manner &&
    (list.ids === ids || (list.ids.length === ids.length && ids.every((id, at) => list.ids[at] === id)))
  );
}

/** The list for this hook instance: the same for the same arguments. */
export function listOf(memory: ListMemory, wanted: ListArguments): List {
  const { committed, draft } = memory;
  if (committed !== null && isSame(committed, wanted)) return committed;
  if (draft !== null && isSame(draft, wanted)) return draft;
  return (memory.draft = createList(memory, wanted, committed));
}

/** Where only the ids changed, rows that stay are taken over: their snapshots are what the rows on screen were made from. */
function createList(memory: ListMemory, wanted: ListArguments, before: List | null): List {
  const { scope, name, level, manner } = wanted;
  const ids = [...wanted.ids];
  const taken = before !== null && isSame(before, { ...wanted, ids: before.ids }) ? before.sources : null;
  const sources = new Map<string, Source>();
  let empty: Source | null = null;

  function sourceOf(id: MaybeId): Source {
    if (id === null || id === undefined || !manner.isEnabled) {
      const none = mannerOf(false, manner.isSilent, 'row');
      return (empty ??= new Source(scope, 'item', name, '', level, undefined, none, undefined, null));
    }
    const known = sources.get(String(id)); // D-REG-5
    if (known !== undefined) return known;
    const source =
      taken?.get(String(id)) ??
      new Source(scope, 'item', name, id, level, undefined, manner, undefined, null);
    sources.set(String(id), source);
    return source;
  }

  const order = ids.map(sourceOf);
  let frame: Frame = { rows: null };
  let server: Frame | null = null;
  let isWatching = false;

  function changed(): boolean {
    if (frame.rows === null) return false; // React has been told, and has not looked yet.
    frame = { rows: null };
    return true;
  }

  /** Nobody tells an unmounted list what moved. */
  function compare(): boolean {
    const { rows } = frame;
    return rows !== null && order.some((source, at) => source.getSnapshot() !== rows[at]) && changed();
  }

  const list: List = {
    ...wanted,
    ids,
    sources,
    rowsOf: (of) => (of.rows ??= order.map((source) => source.getSnapshot())),
    getSnapshot() {
      if (!isWatching) compare();
      return frame;
    },
    getServerSnapshot() {
      if (scope.states === null) return list.getSnapshot();
      return (server ??= frame = { rows: order.map((source) => source.getServerSnapshot()) });
    },
    subscribe(callback) {
      memory.committed = list;
      memory.draft = null;
      for (const source of sources.values()) source.read();
      const ends = [...sources.values()].map((source) => {
        let last = source.getSnapshot();
        return source.watch(() => {
          const next = source.getSnapshot();
          if (next === last) return;
          last = next;
          if (changed()) callback();
        });
      });
      isWatching = true;
      compare();
      callback(); // What moved since the render, or while hidden in an <Activity>.
      return () => {
        isWatching = false;
        for (const end of ends) end();
      };
    },
  };
  return list;
}
