// Several sources as one store. Each source is compared by itself, so rows without a change keep their snapshots.

import type { Fields } from '../binding/snapshot.ts';
import type { Source } from '../binding/source.ts';
import type { Store } from '../binding/useStore.ts';

/**
 * The object that React compares. The rows are computed only when they are rendered, so a burst of changes
 * computes them once.
 */
export interface Frame {
  rows: readonly Fields[] | null;
}

export interface SourceGroup extends Store<Frame> {
  /** The rows of a frame. Every call returns the same array. */
  readonly rowsOf: (frame: Frame) => readonly Fields[];
}

/**
 * @param order the sources in the order of the rows; one may occur twice
 * @param onCommit React has committed a render with them
 * @param left receives the sources that leave the screen. Those that another group shows in the same task are not read again.
 */
export function createSourceGroup(
  order: readonly Source[],
  onCommit: () => void,
  left?: Set<Source>,
): SourceGroup {
  const sources = new Set(order);
  let frame: Frame = { rows: null };
  let server: Frame | null = null;
  let isWatching = false;

  const snapshotOf = (source: Source): Fields => source.store().getSnapshot().snapshot;

  function changed(): boolean {
    if (frame.rows === null) return false; // React was notified and has not rendered yet.
    frame = { rows: null };
    return true;
  }

  /** While the group is not mounted, nothing notifies it. */
  function compare(): boolean {
    const { rows } = frame;
    return rows !== null && order.some((source, at) => snapshotOf(source) !== rows[at]) && changed();
  }

  function getSnapshot(): Frame {
    if (!isWatching) compare();
    return frame;
  }

  return {
    rowsOf: (of) => (of.rows ??= order.map(snapshotOf)),
    getSnapshot,
    getServerSnapshot() {
      return (server ??= frame =
        { rows: order.map((source) => source.store().getServerSnapshot().snapshot) });
    },
    subscribe(callback) {
      onCommit();
      for (const source of sources) if (left?.has(source) !== true) source.read();
      const ends = [...sources].map((source) => {
        let last = snapshotOf(source);
        return source.watch(() => {
          const next = snapshotOf(source);
          if (next === last) return;
          last = next;
          if (changed()) callback();
        });
      });
      isWatching = true;
      compare();
      callback(); // For changes since the render, and while it was hidden in an <Activity>.
      return () => {
        isWatching = false;
        for (const end of ends) end();
        if (left === undefined) return;
        for (const source of sources) left.add(source);
        void Promise.resolve().then(() => left.clear());
      };
    },
  };
}
