import type { FetchContext, Id, LevelConversionMap } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../seed.ts';

const levels = ['default', 'a', 'b', 'c', 'd'];

/** Caches exactly the `needed` levels of an item, refreshes it, and returns the levels that are requested for the refresh. */
async function refreshed(map: LevelConversionMap, needed: readonly string[]): Promise<string[]> {
  const sim = createSimulation();
  const dl = sim.createDataLayer({ sse: { enabled: false } });
  const requested: string[] = [];
  let isRefresh = false;
  const level = {
    fetch: async (id: Id, ctx: FetchContext): Promise<object> => {
      requested.push(ctx.level);
      return { id };
    },
    // The first payloads convert to no other level, or more levels would be cached than are needed.
    checkIfExists: () => isRefresh,
  };
  dl.createType('doc', {
    fetch: level.fetch,
    levels: Object.fromEntries(levels.map((name) => [name, level])),
    levelConversionMap: map,
  });
  for (const name of needed) dl.fetchItem('doc', 1, name);
  await sim.settled();
  requested.length = 0;
  isRefresh = true;
  void dl.applyDirectives([{ op: 'refresh_item', name: 'doc', id: 1 }]);
  await sim.settled();
  dl.dispose();
  return requested;
}

describe('D-LEVEL-5 the levels that a refresh requests', () => {
  it('cover the needed levels, contain no other level, and are as few as possible', async () => {
    const name = fc.constantFrom(...levels);
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, fc.array(name)), fc.uniqueArray(name), async (map, needed) => {
        const reach = (from: string, seen = new Set<string>()): Set<string> => {
          for (const to of map[from] ?? []) if (!seen.has(to)) reach(to, seen.add(to));
          return seen;
        };
        const covers = (choice: readonly string[]): boolean =>
          needed.every((level) => choice.includes(level) || choice.some((from) => reach(from).has(level)));
        const requested = await refreshed(map, needed);
        expect(needed).toEqual(expect.arrayContaining(requested));
        expect(covers(requested)).toBe(true);
        const choices = Array.from({ length: 2 ** needed.length }, (_, bits) =>
          needed.filter((_level, at) => (bits & (1 << at)) !== 0),
        );
        expect(requested).toHaveLength(Math.min(...choices.filter(covers).map(({ length }) => length)));
      }),
      runs(200),
    );
  });
});
