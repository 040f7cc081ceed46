// Several sources as one store: each is compared by itself, so that those without a change keep their snapshots, and there is a
// new array when one has another.

import type { Scope } from '../binding/scope.ts';
import type { Snapshot } from '../binding/snapshot.ts';
import type { Source, Store } from '../binding/source.ts';

/** What React holds: the array is made when it is rendered, so a burst of changes before that makes one. */
export interface Frame {
  rows: readonly Snapshot[] | null;
}

export interface SourceGroup extends Store<Frame> {
  /** The rows of a frame; the same array as often as it is asked for. */
  readonly rowsOf: (frame: Frame) => readonly Snapshot[];
}

/**
 * @param order the sources as they are shown; one may stand there twice
 * @param onCommit React has committed a render with them
 */
export function createSourceGroup(
  { states }: Scope,
  order: readonly Source[],
  onCommit: () => void,
): SourceGroup {
  const sources = new Set(order);
  let frame: Frame = { rows: null };
  let server: Frame | null = null;
  let isWatching = false;

  function changed(): boolean {
    if (frame.rows === null) return false; // React has been told, and has not looked yet.
    frame = { rows: null };
    return true;
  }

  /** Nobody tells what is not mounted what moved. */
  function compare(): boolean {
    const { rows } = frame;
    return rows !== null && order.some((source, at) => source.getSnapshot() !== rows[at]) && changed();
  }

  function getSnapshot(): Frame {
    if (!isWatching) compare();
    return frame;
  }

  return {
    rowsOf: (of) => (of.rows ??= order.map((source) => source.getSnapshot())),
    getSnapshot,
    getServerSnapshot() {
      if (states === null) return getSnapshot();
      return (server ??= frame = { rows: order.map((source) => source.getServerSnapshot()) });
    },
    subscribe(callback) {
      onCommit();
      for (const source of sources) source.read();
      const ends = [...sources].map((source) => {
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
}
