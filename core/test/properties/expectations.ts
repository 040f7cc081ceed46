// What must hold for a world after all faults have ended.

import { expect } from 'vitest';
import { idOf, isCollection, isItem, levelOf, type Player, type World } from './world.ts';

/** The merged payloads of these levels. */
function expectedItem({ truth }: World, type: string, id: string | number, held: readonly string[]): unknown {
  if (type === 'note') return truth.note(id);
  const payloads = (['default', 'mid', 'full', 'side'] as const)
    .filter((level) => held.includes(level))
    .map((level) => truth.doc(id, level));
  return payloads[0] === null ? null : Object.assign({}, ...payloads);
}

const heldLevels = (stamps: Readonly<Record<string, string | null>>): string[] =>
  Object.keys(stamps).filter((level) => stamps[level] !== null);

/** Watched entries that did not fail have the data of the server and are settled. If failed refetches are retried, so do entries that failed after they were shown. */
export function expectTruth(
  world: World,
  { watched }: Player,
  may: { haveFailed: boolean; isRepeated: boolean },
): void {
  for (const { ref, what } of watched) {
    const hasFailed = ref.meta.error !== null && may.haveFailed;
    if (hasFailed && !may.isRepeated) continue;
    const label = JSON.stringify(what);
    if (!hasFailed) expect(ref.meta.error, label).toBeNull();
    expect(ref.meta.isLoading, label).toBe(false);
    if (isCollection(ref)) {
      if (hasFailed && ref.meta.lastFetched === null) continue;
      // The params are one of the server's sets.
      expect(ref.data, label).toEqual(world.truth.list(ref.meta.paramsSnapshot as never));
    } else if (isItem(ref)) {
      const held = heldLevels(ref.meta.levelStamps);
      if (hasFailed && held.length === 0) continue;
      expect(ref.data, `${label} ${held.join()}`).toEqual(expectedItem(world, what.kind, idOf(what), held));
      if (what.kind === 'doc' && !hasFailed) expect(held, label).toContain(levelOf(what));
    }
  }
}

/** Cached entries that are fresh have the data of the server, watched or not. */
export function expectFreshIsTrue(world: World, { dl }: Player): void {
  const { items, refs } = dl.devtools();
  for (const [type, entries] of Object.entries(items)) {
    for (const [id, { data, meta }] of Object.entries(entries)) {
      if (meta.isStale) continue;
      const expected = expectedItem(
        world,
        type,
        type === 'doc' ? Number(id) : id,
        heldLevels(meta.levelStamps),
      );
      expect(data, `${type} ${id} is fresh`).toEqual(expected);
    }
  }
  for (const { data, meta } of Object.values(refs['docs'] ?? {})) {
    if (!meta.isStale)
      expect(data, `${meta.paramsKey} is fresh`).toEqual(world.truth.list(meta.paramsSnapshot as never));
  }
}
